(* A game that spends, off one path, all that a budget has left.

   In words: take one ordered pair, mechanisms M, a transcript h0, and a number `left` per transcript
   (what a rule has left there).  Along the path to h0 the game is M; off it every round is an
   erasure of x that is charged exactly what is left, where headroom permits.  Suppose that a filter
   goes on along the path, runs these erasures and then a round at h0 whose charge exceeds what is
   left there, and that the budgets of a round's outputs add up to all that was left.  Then its
   divergence on this game exceeds the budget at the start (`spoiled_not_private`).

   `climbed`: the same for any game that is M along the path, and budgets in masses. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit Compensator Causal.
Import ListNotations.
Open Scope R_scope.

(* ---------- any game that is M along a path ---------- *)
Section Climb.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Hypothesis Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis Out_eq : forall a b : Out, {a = b} + {a <> b}.
Hypothesis menu_nodup : forall h, NoDup (menu h).
Variable some_request : hist Req Out -> Req.
Hypothesis some_request_in : forall h, In (some_request h) (menu h).
Variable e : R.
Hypothesis He : 1 <= e.
Variables x x' : Db.

Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).
Local Notation uch M := (ucharge M e x x').
Local Notation path := (on_path Req_eq Out_eq).

Variables M game : mech.
Variable h0 : Hist.
Hypothesis game_at : forall k, path k h0 = true -> agree_at M game k.

Lemma game_below : forall k, path k h0 = true -> agree_below M game k.
Proof. induction k as [|a k IH]; simpl; [auto|]. intros H. apply on_path_tl in H. auto. Qed.

Variable U : Hist -> R.                                (* what a rule has left, in masses of x *)
Variable G : filter Req Out.
Variable r0 : Req.
Hypothesis Hreach : reached menu outs G h0.
Hypothesis Hr0 : In r0 (menu h0).
Hypothesis Hruns : runs (G h0 r0) = true.
Hypothesis Hbeyond : U h0 < uch M h0 r0.
Hypothesis Hsilent : forall r k, path ((r, None) :: k) h0 = true -> U k <= U ((r, None) :: k).
Hypothesis Hshared : forall r y k, path ((r, Some y) :: k) h0 = true ->
  U k <= uch M k r + sumf (outs k r) (fun c => U ((r, Some c) :: k)).
(* off the path it runs a round that costs what is left *)
Hypothesis Hoff : forall r y c k r', path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
  0 < U ((r, Some c) :: k) -> In r' (menu ((r, Some c) :: k)) ->
  runs (G ((r, Some c) :: k) r') = true /\ U ((r, Some c) :: k) <= uch game ((r, Some c) :: k) r'.

Local Notation nxt := (next Req_eq Out_eq some_request r0 h0).
Lemma nxt_in : forall k r, Some (nxt k) = Some r -> In r (menu k).
Proof.
  intros k r E. inversion E. apply (next_in _ _ _ _ some_request_in outs G); assumption.
Qed.
Definition climber : adversary menu := follow Req_eq menu_nodup (fun k => Some (nxt k)) nxt_in.
Local Notation chs := (charges climber G game e x x').

Lemma chs_turn : forall n k, chs (S n) k = toll G game e x x' k (nxt k) +
  sumf (replies outs G k (nxt k)) (fun o =>
    if goes_on (G k (nxt k)) then chs n ((nxt k, o) :: k) else 0).
Proof.
  intros n k. cbn [charges].
  rewrite <- (Rplus_0_l (sumf (menu k) _)), <- (Rmult_0_r (stops climber k)).
  unfold climber at 1 2. rewrite follow_turn. reflexivity.
Qed.

Lemma chs_ge : forall n k, runs (G k (nxt k)) = true -> uch game k (nxt k) <= chs (S n) k.
Proof.
  intros n k Hg. rewrite chs_turn. unfold toll. rewrite Hg.
  match goal with |- _ <= _ + ?s => assert (0 <= s) end; [|lra].
  apply sumf_nonneg; intros y _. destruct (goes_on _); [apply charges_nonneg | lra].
Qed.

(* off the path one more round loses all that is left *)
Lemma off_path_value : forall r y k c n, path ((r, Some y) :: k) h0 = true ->
  In c (outs k r) -> c <> y -> U ((r, Some c) :: k) <= chs (S n) ((r, Some c) :: k).
Proof.
  intros r y k c n Hp Hc Hne. set (q := (r, Some c) :: k).
  destruct (Rle_lt_dec (U q) 0) as [Z|Hlt].
  { pose proof (charges_nonneg climber G game e x x' (S n) q). lra. }
  destruct (Hoff r y c k (nxt q) Hp Hc Hne Hlt (nxt_in _ _ eq_refl)) as [H1 H2].
  eapply Rle_trans; [exact H2 | apply chs_ge; exact H1].
Qed.

(* on the path strictly more than what is left is lost *)
Definition beats (k : Hist) : Prop := U k < chs (S (length h0 - length k)) k.

Lemma beats_end : beats h0.
Proof.
  unfold beats. pose proof (on_path_refl Req_eq Out_eq h0) as Hp.
  assert (E : nxt h0 = r0) by apply next_end.
  eapply Rlt_le_trans; [|apply chs_ge; rewrite E; exact Hruns].
  rewrite E, <- (agree_ucharge e x x' M game) by auto using game_at, game_below.
  exact Hbeyond.
Qed.

Lemma beats_back : forall r o k, path ((r, o) :: k) h0 = true -> beats ((r, o) :: k) -> beats k.
Proof.
  intros r o k Hp Hb. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
  pose proof (reached_on_path _ _ _ _ _ _ _ Hreach Hp) as (_ & _ & Ho & Hg).
  pose proof (on_path_len _ _ _ _ Hp) as Hlen. simpl length in Hlen.
  unfold beats in *. simpl length in Hb.
  replace (length h0 - length k)%nat with (S (length h0 - S (length k))) by lia.
  assert (E : nxt k = r) by (eapply next_path; eassumption).
  rewrite chs_turn, E, Hg. unfold toll. unfold replies in *. destruct (runs (G k r)).
  - apply in_map_iff in Ho. destruct Ho as [y [<- Hy]]. rewrite sumf_map.
    rewrite <- (agree_ucharge e x x' M game) by auto using game_at, game_below.
    specialize (Hshared r y k Hp).
    assert (Hs : sumf (outs k r) (fun c => U ((r, Some c) :: k))
       < sumf (outs k r) (fun c => chs (S (length h0 - S (length k))) ((r, Some c) :: k))).
    { apply (sumf_lt _ _ _ _ y); [|assumption|assumption].
      intros c Hc. destruct (Out_eq c y) as [->|Hne]; [left; assumption|].
      eapply off_path_value; eassumption. }
    lra.
  - destruct Ho as [<-|[]]. specialize (Hsilent r k Hp). rewrite sumf_cons. unfold sumf; cbn [fold_right]. lra.
Qed.

Theorem climbed : ~ private menu game G e (U []) x x'.
Proof.
  intros Hp. specialize (Hp climber (S (length h0))). apply private_iff_hockey in Hp.
  assert (Back : forall k, path k h0 = true -> beats k -> beats []).
  { induction k as [|[r o] k IH]; intros Hk Hb; [assumption|].
    apply IH; [eapply on_path_tl | eapply beats_back]; eassumption. }
  pose proof (Back h0 (on_path_refl _ _ h0) beats_end) as H. unfold beats in H.
  rewrite identity in Hp by assumption. simpl length in H.
  replace (length h0 - 0)%nat with (length h0) in H by lia. lra.
Qed.
End Climb.

Section Spoiler.
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
Variable e : R.
Hypothesis He : 1 <= e.
Variables x x' : Db.
Hypothesis Hxx : x <> x'.

Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).
Local Notation exc M := (excess M e x x').
Local Notation uch M := (ucharge M e x x').
Local Notation path := (on_path Req_eq Out_eq).

(* ---------- M along the path, erasures off it ---------- *)
Variable M : mech.
Variable left : Hist -> R.
Variable h0 : Hist.

Definition clamp (t : R) : R := Rmax 0 (Rmin 1 t).
Lemma clamp_range : forall t, 0 <= clamp t <= 1.
Proof. intros; unfold clamp; split; [apply Rmax_l|]. apply Rmax_lub; [lra | apply Rmin_l]. Qed.
Lemma clamp_id : forall t, 0 <= t <= 1 -> clamp t = t.
Proof. intros t H. unfold clamp. rewrite Rmin_right by lra. apply Rmax_right; lra. Qed.

(* the erasure that spends exactly what is left at k *)
Definition strength (z : Db) (k : Hist) : R :=
  if Db_eq z x then clamp (left k + exc M k / like M x k) else 0.
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

Lemma topped_off : forall a b k, path (a :: k) h0 = true -> b <> a ->
  path (b :: k) h0 = false /\ agree_below M topped (b :: k).
Proof.
  intros a b k Hp Hne. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk. split.
  - apply not_true_iff_false. intro E. apply Hne. eapply on_path_sibling; eassumption.
  - simpl; auto using topped_at, topped_below.
Qed.

(* given headroom, the erasure charges exactly w_x left *)
Lemma topped_charge : forall c r, path c h0 = false -> agree_below M topped c ->
  0 < like M x c -> 0 <= left c -> like M x c * left c <= like M x c - exc M c ->
  uch topped c r = like M x c * left c.
Proof.
  intros c r Hoff Hb Hl Ht Hh. set (w := like M x c) in *. set (v := like M x' c).
  assert (Hv : 0 <= v) by apply like_nonneg.
  pose proof (excess_nonneg M e x x' c) as Hex.
  set (p := left c + exc M c / w).
  assert (Hwp : w * p = w * left c + exc M c) by (unfold p; field; lra).
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

(* ---------- the filter, and what it does on this game ---------- *)
Variable G : filter Req Out.
Variable r0 : Req.
Hypothesis Hreach : reached menu outs G h0.
Hypothesis Hr0 : In r0 (menu h0).
Hypothesis Hruns : runs (G h0 r0) = true.
Hypothesis Hbeyond : like M x h0 * left h0 < uch M h0 r0.
Hypothesis Hsilent : forall r k, path ((r, None) :: k) h0 = true -> left k <= left ((r, None) :: k).
Hypothesis Hshared : forall r y k, path ((r, Some y) :: k) h0 = true ->
  like M x k * left k <= uch M k r
    + sumf (outs k r) (fun c => like M x ((r, Some c) :: k) * left ((r, Some c) :: k)).
Hypothesis Hroom : forall r y c k, path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
  0 < like M x ((r, Some c) :: k) -> 0 <= left ((r, Some c) :: k) /\
  like M x ((r, Some c) :: k) * left ((r, Some c) :: k)
    <= like M x ((r, Some c) :: k) - exc M ((r, Some c) :: k).
(* off the path it runs what costs just what is left *)
Hypothesis Hoff : forall r y c k r', path ((r, Some y) :: k) h0 = true -> In c (outs k r) ->
  c <> y ->
  0 < like M x ((r, Some c) :: k) -> In r' (menu ((r, Some c) :: k)) ->
  uch topped ((r, Some c) :: k) r' = like M x ((r, Some c) :: k) * left ((r, Some c) :: k) ->
  runs (G ((r, Some c) :: k) r') = true.

Corollary spoiled_not_private : ~ private menu topped G e (left []) x x'.
Proof.
  intros Hp. apply (climbed menu outs Req_eq Out_eq menu_nodup some_request some_request_in e He x x' M topped h0
    topped_at (fun k => like M x k * left k) G r0); try assumption.
  - intros r k H. specialize (Hsilent r k H). cbn [like chance]. pose proof (like_nonneg M x k). nra.
  - intros r y c k r' H Hc Hne Hpos Hin.
    destruct (topped_off (r, Some y) (r, Some c) k H ltac:(congruence)) as [Hout Hb].
    assert (Hlt : 0 < like M x ((r, Some c) :: k)).
    { destruct (like_nonneg M x ((r, Some c) :: k)) as [L|L]; [assumption|]. rewrite <- L in Hpos. lra. }
    destruct (Hroom r y c k H Hc Hne Hlt) as [H0 Hh].
    assert (E : uch topped ((r, Some c) :: k) r' = like M x ((r, Some c) :: k) * left ((r, Some c) :: k))
      by (apply topped_charge; assumption).
    split; [apply (Hoff r y c k); assumption | right; symmetry; exact E].
  - simpl. rewrite Rmult_1_l. exact Hp.
Qed.
End Spoiler.
