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
From Filterproof Require Import Sums Model Identity Compensator Recycling Causal Spoiler.
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

(* a path that the compensator reaches, replayed on the spoiler game *)
Section Path.
Variable M : mech.
Variable h0 : Hist.
Variable F : mech -> filter Req Out.
Hypothesis F_causal : causal F.
Hypothesis F_dom : dominates F.
Hypothesis Hreach : reached menu outs (comp M) h0.
Local Notation left := (fun k => d - spt M k).
Local Notation game := (topped outs Db_eq Req_eq Out_eq outs_nodup shown blank shown_in blank_in
  e x x' M left h0).

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

Lemma comp_topped : forall k r, path k h0 = true -> comp game k r = comp M k r.
Proof.
  intros. symmetry. apply (compensator_causal e x x' d); auto using topped_at, topped_below.
Qed.

Lemma path_reach : forall k, path k h0 = true ->
  reached menu outs (comp game) k /\ reached menu outs (F game) k.
Proof.
  induction k as [|[r o] k IH]; intros H; [split; exact I|].
  destruct (path_round r o k H) as (H1 & H2 & H3 & y & -> & Hy).
  pose proof (on_path_tl _ _ _ _ _ H) as Hk. destruct (IH Hk) as [R1 R2].
  assert (EF : F game k r = Continue)
    by (rewrite <- (F_causal M game) by auto using topped_at, topped_below; apply F_dom;
      assumption).
  cbn [reached]. unfold replies. rewrite comp_topped, H3, EF by assumption. simpl.
  auto 9 using in_map.
Qed.

Lemma off_path_runs : forall r y c k r', path ((r, Some y) :: k) h0 = true -> In c (outs k r) ->
  c <> y -> 0 < like M x ((r, Some c) :: k) -> In r' (menu ((r, Some c) :: k)) ->
  uch game ((r, Some c) :: k) r' = like M x ((r, Some c) :: k) * left ((r, Some c) :: k) ->
  runs (F game ((r, Some c) :: k) r') = true.
Proof.
  intros r y c k r' Hp Hc Hne Hlt Hin E. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
  destruct (path_round r _ k Hp) as (H1 & H2 & H3 & _).
  destruct (topped_off outs Db_eq Req_eq Out_eq outs_nodup shown blank shown_in blank_in
    e x x' M left h0 (r, Some y) (r, Some c) k Hp ltac:(congruence)) as [_ Hb].
  set (q := (r, Some c) :: k) in *. rewrite F_dom; auto.
  - unfold q; cbn [reached]. unfold replies. rewrite comp_topped, H3 by assumption. simpl.
    destruct (path_reach k Hk). repeat split; auto using in_map.
  - unfold compensator, gate. replace (affordable game e [(x, x')] d q r') with true;
      [reflexivity|].
    symmetry. apply affordable_spec. intros z z' [Ez|[]] _. inversion Ez; subst z z'.
    rewrite <- (agree_spent e x x' M game) by assumption.
    unfold charge. rewrite <- (agree_like M game) by assumption. rewrite E.
    destruct (Rlt_dec 0 (like M x q)); [|lra]. right. field. lra.
Qed.
End Path.

Theorem converse_with_headroom : forall (F : mech -> filter Req Out) (M : mech) h0 r0,
  causal F -> dominates F -> reached menu outs (comp M) h0 -> In r0 (menu h0) ->
  comp M h0 r0 = Halt -> runs (F M h0 r0) = true ->
  (forall k r y c, path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
     0 < like M x ((r, Some c) :: k) ->
     like M x ((r, Some c) :: k) * (d - spt M ((r, Some c) :: k))
       <= like M x ((r, Some c) :: k) - exc M ((r, Some c) :: k)) ->
  ~ always_private F.
Proof.
  intros F M h0 r0 Hc Hdom Hre Hin Href Hrun Hroom Hpriv. assert (He0 : 0 <= e) by lra.
  pose proof (on_path_refl Req_eq Out_eq h0) as Hend.
  refine (spoiled_not_private menu outs Db_eq Req_eq Out_eq menu_nodup outs_nodup some_request
    some_request_in shown blank shown_blank shown_in blank_in e He x x' Hxx M
    (fun k => d - spt M k) h0 (F (topped outs Db_eq Req_eq Out_eq outs_nodup shown blank shown_in
      blank_in e x x' M (fun k => d - spt M k) h0)) r0 _ Hin _ _ _ _ _ _ _).
  - apply path_reach; assumption.
  - rewrite <- (Hc M); auto using topped_at, topped_below.
  - unfold compensator, gate in Href. destruct (affordable M e [(x, x')] d h0 r0) eqn:Ea;
      [discriminate|].
    unfold affordable, each_live in Ea. simpl in Ea. rewrite andb_true_r in Ea.
    apply orb_false_iff in Ea. destruct Ea as [Ha Hb].
    apply negb_false_iff in Ha. apply Rltb_true in Ha. apply Rleb_false in Hb.
    rewrite <- (charge_spec M e x x' h0 r0 He0). apply Rmult_lt_compat_l; [assumption | lra].
  - intros r k _. cbn [spent]. lra.
  - intros r y k _. cbn [spent].
    rewrite sumf_scal_r, like_outs, <- (charge_spec M e x x' k r He0). lra.
  - intros r y c k Hp Hi Hne Hl. split; [|apply (Hroom k r y c); assumption].
    destruct (path_round M h0 Hre r _ k Hp) as (_ & _ & H3 & _).
    assert (Ha : affordable M e [(x, x')] d k r = true)
      by (unfold compensator, gate in H3; destruct (affordable M e [(x, x')] d k r); congruence).
    rewrite affordable_spec in Ha.
    specialize (Ha x x' (or_introl eq_refl) (like_parent M x k r _ Hl)). cbn [spent]. lra.
  - intros. eapply off_path_runs; eassumption.
  - simpl spent. rewrite Rminus_0_r. apply Hpriv.
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
