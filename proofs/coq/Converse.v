(* When the compensator cannot be improved, and that it can be in general (one ordered pair).

   In words: take a causal filter that goes on wherever the compensator goes on, and that also
   runs one round which the compensator refuses.  If every output not taken on the way there had
   headroom (what was left of delta could still be lost on it), the filter is not (eps, delta)-DP:
   erasures on those branches, which the filter must run, spend what was left, and the extra round
   goes beyond (`converse_with_headroom`).  No headroom is needed for a first round
   (`converse_first_round`), and it is automatic where no loss exceeds eps (`converse_low_loss`).

   Without headroom the converse is false (`unconditional_converse_refuted`): the recycling filter
   is causal, private on every family, runs wherever the compensator runs and sometimes more. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit Compensator Recycling Causal.
Import ListNotations.
Open Scope R_scope.

Section Converse.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Hypothesis Db_eq : forall a b : Db, {a = b} + {a <> b}.
Hypothesis Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis Out_eq : forall a b : Out, {a = b} + {a <> b}.
(* proper lists; menus are not empty; two distinct outputs are always available *)
Hypothesis menu_nodup : forall h, NoDup (menu h).
Hypothesis outs_nodup : forall h r, NoDup (outs h r).
Variable some_request : hist Req Out -> Req.
Hypothesis some_request_in : forall h, In (some_request h) (menu h).
Variables shown blank : Out.
Hypothesis shown_blank : shown <> blank.
Hypothesis shown_in : forall h r, In shown (outs h r).
Hypothesis blank_in : forall h r, In blank (outs h r).
Variables e d : R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.
Variables x x' : Db.
Hypothesis Hxx : x <> x'.

Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).
Local Notation exc M := (excess M e x x').
Local Notation uch M := (ucharge M e x x').
Local Notation spt M := (spent M e x x').
Local Notation comp M := (compensator M e [(x, x')] d).
Local Notation path := (on_path Req_eq Out_eq).

(* F goes on wherever the compensator goes on, on every family of mechanisms *)
Definition dominates (F : mech -> filter Req Out) : Prop := forall M h r,
  reached menu outs (comp M) h -> In r (menu h) -> comp M h r = Continue -> F M h r = Continue.
Definition always_private (F : mech -> filter Req Out) : Prop :=
  forall M, private menu M (F M) e d x x'.

(* ---------- the family: M along the path, erasures off it ---------- *)
Section Family.
Variable M : mech.
Variable h0 : Hist.

Definition clamp (t : R) : R := Rmax 0 (Rmin 1 t).
Lemma clamp_range : forall t, 0 <= clamp t <= 1.
Proof. intros; unfold clamp; split; [apply Rmax_l|]. apply Rmax_lub; [lra | apply Rmin_l]. Qed.
Lemma clamp_id : forall t, 0 <= t <= 1 -> clamp t = t.
Proof. intros t H. unfold clamp. rewrite Rmin_right by lra. apply Rmax_right; lra. Qed.

(* the erasure that spends exactly what is left at k *)
Definition strength (z : Db) (k : Hist) : R :=
  if Db_eq z x then clamp (d - spt M k + exc M k / like M x k) else 0.
Definition erase (z : Db) (k : Hist) (y : Out) : R :=
  point Out_eq shown y * strength z k + point Out_eq blank y * (1 - strength z k).

Lemma strength_range : forall z k, 0 <= strength z k <= 1.
Proof. intros; unfold strength; destruct (Db_eq z x); [apply clamp_range | lra]. Qed.

Definition topped : mech.
Proof.
  refine (Build_mechanism _ _ Db outs
    (fun z k r y => if path k h0 then pr M z k r y else erase z k y) _ _).
  - intros z k r y. destruct (path k h0); [apply pr_nonneg|]. unfold erase.
    pose proof (strength_range z k). pose proof (point_nonneg Out_eq shown y).
    pose proof (point_nonneg Out_eq blank y). nra.
  - intros z k r. destruct (path k h0); [apply pr_sum|].
    unfold erase. rewrite sumf_plus, !sumf_scal_r.
    rewrite !(sumf_point1 Out_eq) by auto. ring.
Defined.

Lemma topped_at : forall k, path k h0 = true -> agree_at M topped k.
Proof. intros k H z r y. simpl. rewrite H. reflexivity. Qed.

Lemma topped_below : forall k, path k h0 = true -> agree_below M topped k.
Proof.
  induction k as [|a k IH]; simpl; [auto|]. intros H. apply on_path_tl in H.
  split; [auto | apply topped_at; assumption].
Qed.

(* given headroom, the erasure charges exactly w_x (d - spent) *)
Lemma topped_charge : forall c r, path c h0 = false -> agree_below M topped c ->
  0 < like M x c -> 0 <= d - spt M c ->
  like M x c * (d - spt M c) <= like M x c - exc M c ->
  uch topped c r = like M x c * (d - spt M c).
Proof.
  intros c r Hoff Hb Hl Ht Hh. set (w := like M x c) in *. set (v := like M x' c).
  assert (Hv : 0 <= v) by apply like_nonneg.
  pose proof (excess_nonneg M e x x' c) as Hex.
  set (p := d - spt M c + exc M c / w).
  assert (Hwp : w * p = w * (d - spt M c) + exc M c) by (unfold p; field; lra).
  assert (Hp : 0 <= p <= 1).
  { split.
    - unfold p. assert (0 <= exc M c / w)
        by (apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; assumption]). lra.
    - apply (Rmult_le_reg_l w); [assumption|]. lra. }
  assert (Hlx : strength x c = p)
    by (unfold strength; destruct (Db_eq x x); [apply clamp_id; assumption | congruence]).
  assert (Hlx' : strength x' c = 0) by (unfold strength; destruct (Db_eq x' x); congruence).
  unfold ucharge. rewrite <- (agree_excess e x x' M topped c Hb).
  assert (Hge : w - e * v <= exc M c) by (unfold excess, w, v; apply pos_ge).
  rewrite (sumf_ext _ _ _ (fun y => point Out_eq shown y * (w * p))).
  - rewrite (sumf_point Out_eq (outs c r) shown (fun _ => w * p)) by auto. lra.
  - intros y _. unfold excess. cbn [like chance].
    rewrite <- !(agree_like M topped _ c Hb). fold w v.
    cbn [topped pr]. rewrite Hoff. unfold erase. rewrite Hlx, Hlx'.
    unfold point. destruct (Out_eq y shown) as [->|Hr].
    + destruct (Out_eq shown blank) as [|_]; [contradiction|].
      rewrite pos_of_nonneg; [ring|]. nra.
    + destruct (Out_eq y blank) as [_|_]; rewrite pos_of_nonpos; nra.
Qed.

Variable r0 : Req.
Variable F : mech -> filter Req Out.
Hypothesis F_causal : causal F.
Hypothesis F_dom : dominates F.
Hypothesis Hreach : reached menu outs (comp M) h0.
Hypothesis Hr0 : In r0 (menu h0).
Hypothesis Hrefused : comp M h0 r0 = Halt.
Hypothesis Hruns : runs (F M h0 r0) = true.
Hypothesis Hroom : forall k r y c, path ((r, Some y) :: k) h0 = true ->
  In c (outs k r) -> c <> y -> 0 < like M x ((r, Some c) :: k) ->
  like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k))
    <= like M x ((r, Some c) :: k) - exc M ((r, Some c) :: k).

Local Notation nxt := (next Req_eq Out_eq some_request r0 h0).
Lemma nxt_in : forall k r, Some (nxt k) = Some r -> In r (menu k).
Proof.
  intros k r E. inversion E. apply (next_in _ _ _ _ some_request_in outs (comp M)); assumption.
Qed.
Definition climber : adversary menu := follow Req_eq menu_nodup (fun k => Some (nxt k)) nxt_in.
Local Notation chs := (charges climber (F topped) topped e x x').

Lemma chs_turn : forall n k, runs (F topped k (nxt k)) = true -> chs (S n) k =
  uch topped k (nxt k) + sumf (outs k (nxt k)) (fun y =>
    if goes_on (F topped k (nxt k)) then chs n ((nxt k, Some y) :: k) else 0).
Proof.
  intros n k Hg. cbn [charges].
  rewrite <- (Rplus_0_l (sumf (menu k) _)), <- (Rmult_0_r (stops climber k)).
  unfold climber at 1 2. rewrite follow_turn. unfold toll, replies. rewrite Hg, sumf_map.
  reflexivity.
Qed.

Lemma chs_ge : forall n k, runs (F topped k (nxt k)) = true -> uch topped k (nxt k) <= chs (S n) k.
Proof.
  intros n k Hg. rewrite chs_turn by assumption.
  match goal with |- _ <= _ + ?s => assert (0 <= s) end; [|lra].
  apply sumf_nonneg; intros y _. destruct (goes_on _); [apply charges_nonneg | lra].
Qed.

(* everything known about a round on the path *)
Lemma path_round : forall r o k, path ((r, o) :: k) h0 = true ->
  reached menu outs (comp M) k /\ In r (menu k) /\ comp M k r = Continue /\
  exists y, o = Some y /\ In y (outs k r).
Proof.
  intros r o k H. pose proof (reached_on_path _ _ _ _ _ _ _ Hreach H) as Hr.
  destruct (gate_reached menu outs (affordable M e [(x, x')] d) k r o Hr) as (H1 & H2 & H3 & H4).
  split; [assumption|]. split; [assumption|]. split; [|assumption].
  unfold compensator, gate. rewrite H3. reflexivity.
Qed.

Lemma comp_topped : forall k r, path k h0 = true -> comp topped k r = comp M k r.
Proof.
  intros. symmetry. apply (compensator_causal e x x' d); auto using topped_at, topped_below.
Qed.

Lemma path_reach_topped : forall k, path k h0 = true -> reached menu outs (comp topped) k.
Proof.
  induction k as [|[r o] k IH]; intros H; [exact I|].
  destruct (path_round r o k H) as (H1 & H2 & H3 & y & -> & Hy).
  pose proof (on_path_tl _ _ _ _ _ H) as Hk.
  cbn [reached]. unfold replies. rewrite comp_topped, H3 by assumption. simpl.
  auto using in_map.
Qed.

(* off the path one more round loses all that is left *)
Lemma off_path_value : forall r y k c n, path ((r, Some y) :: k) h0 = true ->
  In c (outs k r) -> c <> y ->
  like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k)) <= chs (S n) ((r, Some c) :: k).
Proof.
  intros r y k c n Hp Hc Hne. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
  destruct (path_round r _ k Hp) as (H1 & H2 & H3 & _).
  set (q := (r, Some c) :: k).
  assert (Hoff : path q h0 = false).
  { apply not_true_iff_false. intro E. pose proof (on_path_sibling _ _ _ _ _ _ Hp E). congruence. }
  assert (Hb : agree_below M topped q) by (simpl; auto using topped_at, topped_below).
  destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x q)) as [Hlt|Heq].
  2:{ rewrite <- Heq. pose proof (charges_nonneg climber (F topped) topped e x x' (S n) q). lra. }
  assert (Hleft : 0 <= d - spt M q).
  { assert (Ha : affordable M e [(x, x')] d k r = true)
      by (unfold compensator, gate in H3; destruct (affordable M e [(x, x')] d k r); congruence).
    rewrite affordable_spec in Ha.
    specialize (Ha x x' (or_introl eq_refl) (like_parent M x k r _ Hlt)).
    unfold q; cbn [spent]. lra. }
  pose proof (Hroom k r y c Hp Hc Hne Hlt) as Hh. fold q in Hh.
  assert (Hcharge : forall r', uch topped q r' = like M x q * (d - spt M q))
    by (intros; apply topped_charge; assumption).
  assert (Hcmp : comp topped q (nxt q) = Continue).
  { unfold compensator, gate. replace (affordable topped e [(x, x')] d q (nxt q)) with true;
    [reflexivity|].
    symmetry. apply affordable_spec. intros z z' [E|[]] _. inversion E; subst z z'.
    rewrite <- (agree_spent e x x' M topped) by assumption.
    unfold charge. rewrite <- (agree_like M topped) by assumption. rewrite Hcharge.
    destruct (Rlt_dec 0 (like M x q)); [|lra]. right. field. lra. }
  assert (Hre : reached menu outs (comp topped) q).
  { unfold q; cbn [reached]. unfold replies. rewrite comp_topped, H3 by assumption. simpl.
    repeat split; auto using path_reach_topped, in_map. }
  rewrite <- (Hcharge (nxt q)). apply chs_ge.
  rewrite F_dom; auto. apply nxt_in. reflexivity.
Qed.

(* on the path strictly more than what is left is lost *)
Definition beats (k : Hist) : Prop :=
  like M x k * (d - spt M k) < chs (S (length h0 - length k)) k.

Lemma beats_end : beats h0.
Proof.
  unfold beats. pose proof (on_path_refl Req_eq Out_eq h0) as Hp.
  assert (E : nxt h0 = r0) by apply next_end. assert (He0 : 0 <= e) by lra.
  eapply Rlt_le_trans; [|apply chs_ge; rewrite E];
    [|rewrite <- (F_causal M topped); auto using topped_at, topped_below].
  rewrite E, <- (agree_ucharge e x x' M topped) by auto using topped_at, topped_below.
  rewrite <- (charge_spec M e x x' h0 r0 He0).
  unfold compensator, gate in Hrefused. destruct (affordable M e [(x, x')] d h0 r0) eqn:Ea;
    [discriminate|].
  unfold affordable, each_live in Ea. simpl in Ea. rewrite andb_true_r in Ea.
  apply orb_false_iff in Ea. destruct Ea as [Ha Hb].
  apply negb_false_iff in Ha. apply Rltb_true in Ha. apply Rleb_false in Hb.
  apply Rmult_lt_compat_l; [assumption | lra].
Qed.

Lemma beats_back : forall r o k, path ((r, o) :: k) h0 = true -> beats ((r, o) :: k) -> beats k.
Proof.
  intros r o k Hp Hb. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
  destruct (path_round r o k Hp) as (H1 & H2 & H3 & y & -> & Hy).
  pose proof (on_path_len _ _ _ _ Hp) as Hlen. simpl length in Hlen.
  unfold beats in *. simpl length in Hb.
  replace (length h0 - length k)%nat with (S (length h0 - S (length k))) by lia.
  assert (E : nxt k = r) by (eapply next_path; eassumption).
  assert (EF : F topped k r = Continue)
    by (rewrite <- (F_causal M topped) by auto using topped_at, topped_below; apply F_dom;
      assumption).
  rewrite chs_turn; rewrite E, EF; [|reflexivity]. simpl goes_on. cbv iota.
  rewrite <- (agree_ucharge e x x' M topped) by auto using topped_at, topped_below.
  assert (He0 : 0 <= e) by lra.
  assert (Hs : sumf (outs k r) (fun c =>
       like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k)))
     < sumf (outs k r) (fun c => chs (S (length h0 - S (length k))) ((r, Some c) :: k))).
  { apply (sumf_lt _ _ _ _ y); [|assumption|assumption].
    intros c Hc. destruct (Out_eq c y) as [->|Hne]; [left; assumption|].
    eapply off_path_value; eassumption. }
  rewrite (sumf_ext _ _ (fun c => like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k)))
    (fun c => like M x ((r, Some c) :: k) * (d - (spt M k + charge M e x x' k r)))) in Hs
    by reflexivity.
  rewrite sumf_scal_r, like_outs in Hs.
  pose proof (charge_spec M e x x' k r He0). nra.
Qed.

Lemma topped_not_private : d < hockey climber (F topped) topped e x x' (S (length h0)).
Proof.
  assert (G : forall k, path k h0 = true -> beats k -> beats []).
  { induction k as [|[r o] k IH]; intros Hp Hb; [assumption|].
    apply IH; [eapply on_path_tl | eapply beats_back]; eassumption. }
  pose proof (G h0 (on_path_refl _ _ h0) beats_end) as H. unfold beats in H.
  rewrite identity by assumption. simpl like in H. simpl spent in H. simpl length in H.
  replace (length h0 - 0)%nat with (length h0) in H by lia. lra.
Qed.
End Family.

Theorem converse_with_headroom : forall (F : mech -> filter Req Out) (M : mech) h0 r0,
  causal F -> dominates F -> reached menu outs (comp M) h0 -> In r0 (menu h0) ->
  comp M h0 r0 = Halt -> runs (F M h0 r0) = true ->
  (forall k r y c, path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
     0 < like M x ((r, Some c) :: k) ->
     like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k))
       <= like M x ((r, Some c) :: k) - exc M ((r, Some c) :: k)) ->
  ~ always_private F.
Proof.
  intros F M h0 r0 Hc Hdom Hre Hin Href Hrun Hroom Hpriv.
  pose proof (topped_not_private M h0 r0 F Hc Hdom Hre Hin Href Hrun Hroom) as H.
  assert (hockey (climber M h0 r0 Hre Hin) (F (topped M h0)) (topped M h0) e x x' (S (length h0))
    <= d); [|lra].
  apply private_iff_hockey. apply Hpriv.
Qed.

Corollary converse_first_round : forall (F : mech -> filter Req Out) (M : mech) r0,
  causal F -> dominates F -> In r0 (menu []) -> comp M [] r0 = Halt -> runs (F M [] r0) = true ->
  ~ always_private F.
Proof.
  intros F M r0 Hc Hdom Hin Href Hrun.
  apply (converse_with_headroom F M [] r0); auto; [exact I|].
  intros k r y c Hp. cbn [on_path] in Hp.
  destruct (hist_eq Req_eq Out_eq ((r, Some y) :: k) []); discriminate.
Qed.

Corollary converse_low_loss : forall (F : mech -> filter Req Out) (M : mech) h0 r0, d <= 1 ->
  causal F -> dominates F -> reached menu outs (comp M) h0 -> In r0 (menu h0) ->
  comp M h0 r0 = Halt -> runs (F M h0 r0) = true ->
  (forall k r y c, path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
     like M x ((r, Some c) :: k) <= e * like M x' ((r, Some c) :: k)) ->
  ~ always_private F.
Proof.
  intros F M h0 r0 Hd1 Hc Hdom Hre Hin Href Hrun Hlow.
  apply (converse_with_headroom F M h0 r0); auto.
  intros k r y c Hp Hi Hne Hl. specialize (Hlow k r y c Hp Hi Hne).
  assert (E : exc M ((r, Some c) :: k) = 0) by (unfold excess; apply pos_of_nonpos; lra).
  rewrite E. pose proof (spent_nonneg M e x x' ((r, Some c) :: k)). nra.
Qed.
End Converse.

Theorem unconditional_converse_refuted : forall e, 1 <= e ->
  exists F : mechanism bool er_outs -> filter unit sym,
    causal F /\
    dominates er_menu er_outs e (1/2) true false F /\
    always_private er_menu er_outs e (1/2) true false F /\
    exists M h r, reached er_menu er_outs (compensator M e [(true, false)] (1/2)) h /\
      0 < like M true h /\ compensator M e [(true, false)] (1/2) h r = Halt /\ F M h r = Continue.
Proof.
  intros e He. assert (Hd : 0 <= 1/2) by lra.
  exists (fun M => recycling M e [(true, false)] (1/2)).
  split; [apply recycling_causal|]. split; [|split].
  - intros M h r Hr _ Hc.
    destruct (recycling_dominates er_menu M e [(true, false)] (1/2) He Hd h r Hr) as [_ H];
      [rewrite Hc; reflexivity|].
    unfold recycling, gate in *.
    destruct (recycling_allows _ _ _ _ _ _); [reflexivity | discriminate].
  - intros M. apply recycling_private; [assumption | assumption | left; reflexivity].
  - exists erasure, blank1, tt.
    destruct (compensator_is_dominated e [(true, false)] He) as (Ha & _ & Hb & Hc & Hr).
    + intros p [<-|[]]. reflexivity.
    + left; reflexivity.
    + rewrite Hb. repeat split; auto; try lra; apply Ha.
Qed.
