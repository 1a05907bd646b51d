(* The exact identity: divergence is the expected sum of charges over the rounds that run.

   In words: round i charges an ordered pair the growth of its expected excess,
   c_i = E_x[h(l + L_i)] - h(l), which is the mechanism's own privacy profile at the remaining
   budget less what is already lost.  Whether a round runs is decided before its output is drawn,
   so for every filter, with any of the four answers, and every adversary
   H = E_x[ sum of c_i over the rounds that run ].

   Theorems: `charge_nonneg`; `identity`, `identity_expectation`; `longer_is_worse` (an adversary
   gains nothing by stopping at an earlier horizon); `budget_sound` (budgets that every round
   that runs respects in expectation make the filter private, for any horizon). *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model.
Import ListNotations.
Open Scope R_scope.

(* ---------- charges ---------- *)
Section Charges.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.

(* w_x(h) c(x, x', h, r): no division *)
Definition ucharge (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h)) - excess M e x x' h.

(* the charge itself; a pair with w_x(h) = 0 is skipped *)
Definition charge (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  if Rlt_dec 0 (like M x h) then ucharge x x' h r / like M x h else 0.

(* c_1 + ... + c_i along a transcript, over the rounds that released something *)
Fixpoint spent (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 0
  | (r, Some _) :: k => spent x x' k + charge x x' k r
  | (_, None) :: k => spent x x' k
  end.

Theorem ucharge_nonneg : forall x x' h r, 0 <= ucharge x x' h r.
Proof.
  intros x x' h r. unfold ucharge.
  assert (Hs : like M x h - e * like M x' h =
    sumf (outs h r) (fun y => like M x ((r, Some y) :: h) - e * like M x' ((r, Some y) :: h))).
  { rewrite sumf_minus, sumf_scal, !like_outs. reflexivity. }
  assert (excess M e x x' h <= sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h))).
  { unfold excess at 1. rewrite Hs. apply pos_sumf. }
  lra.
Qed.

(* a charge never exceeds the mass that is not yet counted as lost *)
Lemma ucharge_le : forall x x' h r, 0 <= e -> ucharge x x' h r <= like M x h - excess M e x x' h.
Proof.
  intros x x' h r He. unfold ucharge. rewrite <- (like_outs M x h r).
  assert (sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h))
    <= sumf (outs h r) (fun y => like M x ((r, Some y) :: h)))
    by (apply sumf_le; intros; apply excess_le_like; assumption).
  lra.
Qed.

Lemma ucharge_skipped : forall x x' h r, 0 <= e -> like M x h = 0 -> ucharge x x' h r = 0.
Proof.
  intros x x' h r He Hz. pose proof (ucharge_nonneg x x' h r).
  pose proof (ucharge_le x x' h r He). pose proof (excess_nonneg M e x x' h). lra.
Qed.

(* once x' is impossible nothing further can be lost *)
Lemma ucharge_revealed : forall x x' h r, 0 <= e -> like M x' h = 0 -> ucharge x x' h r = 0.
Proof.
  intros x x' h r He Hz. pose proof (ucharge_nonneg x x' h r).
  pose proof (ucharge_le x x' h r He).
  assert (like M x h <= excess M e x x' h).
  { unfold excess. rewrite Hz. pose proof (pos_ge (like M x h - e * 0)). lra. }
  lra.
Qed.

Lemma charge_spec : forall x x' h r, 0 <= e -> like M x h * charge x x' h r = ucharge x x' h r.
Proof.
  intros x x' h r He. unfold charge. destruct (Rlt_dec 0 (like M x h)) as [H|H].
  - field; lra.
  - pose proof (like_nonneg M x h). rewrite ucharge_skipped; [ring | assumption | lra].
Qed.

Theorem charge_nonneg : forall x x' h r, 0 <= charge x x' h r.
Proof.
  intros x x' h r. unfold charge. destruct (Rlt_dec 0 (like M x h)) as [H|H]; [|lra].
  apply Rmult_le_pos; [apply ucharge_nonneg | left; apply Rinv_0_lt_compat; assumption].
Qed.

Lemma charge_revealed : forall x x' h r, 0 <= e -> like M x' h = 0 -> charge x x' h r = 0.
Proof.
  intros x x' h r He Hz. unfold charge. destruct (Rlt_dec 0 (like M x h)); [|reflexivity].
  rewrite ucharge_revealed by assumption. unfold Rdiv; ring.
Qed.

Lemma spent_nonneg : forall x x' h, 0 <= spent x x' h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. pose proof (charge_nonneg x x' h r). lra.
Qed.
End Charges.

(* ---------- the identity ---------- *)
Section Identity.
Context {Db Req Out : Type} {menu : hist Req Out -> list Req}
        {outs : hist Req Out -> Req -> list Out}.
Variable A : adversary menu.
Variable F : filter Req Out.
Variable M : mechanism Db outs.
Variable e : R.

(* what a turn charges under the filter: nothing unless the mechanism runs *)
Definition toll (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  if runs (F h r) then ucharge M e x x' h r else 0.

Lemma toll_replies : forall x x' h r, toll x x' h r =
  sumf (replies outs F h r) (fun o => excess M e x x' ((r, o) :: h)) - excess M e x x' h.
Proof.
  intros. unfold toll, ucharge, replies. destruct (runs (F h r)).
  - rewrite sumf_map. reflexivity.
  - rewrite sumf_cons, excess_unreleased. simpl. ring.
Qed.

Lemma toll_nonneg : forall x x' h r, 0 <= toll x x' h r.
Proof. intros. unfold toll. destruct (runs (F h r)); [apply ucharge_nonneg | lra]. Qed.

(* sum over the turns of (adversary's weight) * (unnormalised charge of that turn) *)
Fixpoint charges (x x' : Db) (n : nat) (h : hist Req Out) : R :=
  match n with
  | O => 0
  | S n' => sumf (menu h) (fun r => adv A h r * (toll x x' h r +
      sumf (replies outs F h r) (fun o =>
        if goes_on (F h r) then charges x x' n' ((r, o) :: h) else 0)))
  end.

Lemma charges_nonneg : forall x x' n h, 0 <= charges x x' n h.
Proof.
  induction n as [|n IH]; intros h; cbn [charges]; [lra|].
  apply sumf_nonneg; intros r _. apply Rmult_le_pos; [apply adv_nonneg|].
  apply Rplus_le_le_0_compat; [apply toll_nonneg|].
  apply sumf_nonneg; intros o _. destruct (goes_on (F h r)); [apply IH | lra].
Qed.

Lemma identity_from : forall x x' n h,
  leaves outs A F n h (excess M e x x') = excess M e x x' h + charges x x' n h.
Proof.
  induction n as [|n IH]; intros h; cbn [leaves charges]; [ring|].
  transitivity (excess M e x x' h * (stops A h + sumf (menu h) (adv A h)) + charges x x' (S n) h);
    [|unfold stops; cbn [charges]; ring].
  cbn [charges]. rewrite Rmult_plus_distr_l, <- sumf_scal, Rplus_assoc, <- sumf_plus.
  f_equal; [ring|]. apply sumf_ext; intros r _.
  rewrite (sumf_ext _ (replies outs F h r) _ (fun o => excess M e x x' ((r, o) :: h) +
    (if goes_on (F h r) then charges x x' n ((r, o) :: h) else 0)))
    by (intros o _; destruct (goes_on (F h r)); [apply IH | ring]).
  rewrite sumf_plus, toll_replies. ring.
Qed.

Theorem identity : forall x x' n, 1 <= e -> hockey A F M e x x' n = charges x x' n [].
Proof. intros. unfold hockey. rewrite identity_from, excess_nil by assumption. ring. Qed.

Lemma spent_step : forall x x' h r o, In o (replies outs F h r) -> 0 <= e ->
  like M x ((r, o) :: h) * spent M e x x' ((r, o) :: h) =
  like M x ((r, o) :: h) * spent M e x x' h
    + chance M x h r o * toll x x' h r.
Proof.
  intros x x' h r o Ho He. unfold replies in Ho. unfold toll.
  destruct (runs (F h r)).
  - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. simpl.
    rewrite <- (charge_spec M e x x' h r He). ring.
  - destruct Ho as [<-|[]]. simpl. ring.
Qed.

Lemma spent_from : forall x x' n h, 0 <= e ->
  leaves outs A F n h (fun k => like M x k * spent M e x x' k)
  = like M x h * spent M e x x' h + charges x x' n h.
Proof.
  intros x x' n h He. revert h. induction n as [|n IH]; intros h; cbn [leaves charges]; [ring|].
  set (w := like M x h * spent M e x x' h).
  transitivity (w * (stops A h + sumf (menu h) (adv A h)) + charges x x' (S n) h);
    [|unfold stops; cbn [charges]; ring].
  cbn [charges]. rewrite Rmult_plus_distr_l, <- sumf_scal, Rplus_assoc, <- sumf_plus.
  f_equal; [unfold w; ring|]. apply sumf_ext; intros r _.
  rewrite (sumf_ext _ (replies outs F h r) _ (fun o =>
    (spent M e x x' h * like M x ((r, o) :: h) + toll x x' h r * chance M x h r o) +
    (if goes_on (F h r) then charges x x' n ((r, o) :: h) else 0))).
  - rewrite !sumf_plus, !sumf_scal, like_replies, chance_sum. unfold w. ring.
  - intros o Ho. pose proof (spent_step x x' h r o Ho He) as E.
    destruct (goes_on (F h r)); [rewrite IH|]; rewrite E; ring.
Qed.

(* H = E_x[ sum of c_i over the rounds that run ], for the four answers alike *)
Theorem identity_expectation : forall x x' n, 1 <= e ->
  hockey A F M e x x' n = law A F M x n [] (spent M e x x').
Proof.
  intros x x' n He. rewrite identity by assumption.
  assert (He0 : 0 <= e) by lra.
  pose proof (spent_from x x' n [] He0) as E. rewrite leaves_law in E. simpl in E. lra.
Qed.

Lemma charges_longer : forall x x' n h, charges x x' n h <= charges x x' (S n) h.
Proof.
  induction n as [|n IH]; intros h; [apply charges_nonneg|].
  change (charges x x' (S (S n)) h) with (sumf (menu h) (fun r => adv A h r * (toll x x' h r +
    sumf (replies outs F h r) (fun o =>
      if goes_on (F h r) then charges x x' (S n) ((r, o) :: h) else 0)))).
  cbn [charges]. apply sumf_le; intros r _.
  apply Rmult_le_compat_l; [apply adv_nonneg|]. apply Rplus_le_compat_l.
  apply sumf_le; intros o _. destruct (goes_on (F h r)); [apply IH | lra].
Qed.

Theorem longer_is_worse : forall x x' n m, 1 <= e -> (n <= m)%nat ->
  hockey A F M e x x' n <= hockey A F M e x x' m.
Proof.
  intros x x' n m He Hnm. rewrite !identity by assumption.
  induction Hnm as [|m _ IH]; [lra|]. pose proof (charges_longer x x' m []). lra.
Qed.

(* ---------- budgets ---------- *)
(* U(h) = w_x(h) B(h) >= 0, B_0 <= d, and at each turn E_x[B_i] <= B_(i-1) - c_i *)
Definition budget_ok (x x' : Db) (d : R) (U : hist Req Out -> R) : Prop :=
  U [] <= d /\
  (forall h, reached menu outs F h -> 0 <= U h) /\
  (forall h r, reached menu outs F h -> In r (menu h) ->
     toll x x' h r + sumf (replies outs F h r) (fun o =>
       if goes_on (F h r) then U ((r, o) :: h) else 0) <= U h).

Lemma charges_le_budget : forall x x' d U n h, budget_ok x x' d U -> reached menu outs F h ->
  charges x x' n h <= U h.
Proof.
  intros x x' d U n h (H0 & Hpos & Hstep). revert h.
  induction n as [|n IH]; intros h Hr; [apply Hpos; assumption|]. cbn [charges].
  rewrite <- (Rplus_0_l (sumf _ _)), <- (Rmult_0_r (1 - sumf (menu h) (adv A h))).
  apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | apply Hpos; assumption |].
  intros r Hin. eapply Rle_trans; [|apply (Hstep h r Hr Hin)].
  apply Rplus_le_compat_l. apply sumf_le; intros o Ho.
  destruct (goes_on (F h r)) eqn:Eg; [|lra]. apply IH. simpl; auto.
Qed.
End Identity.

Theorem budget_sound : forall {Db Req Out : Type} {menu : hist Req Out -> list Req}
    {outs : hist Req Out -> Req -> list Out} (F : filter Req Out) (M : mechanism Db outs)
    e x x' d U,
  1 <= e -> budget_ok (menu := menu) F M e x x' d U -> private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs F M e x x' d U He HU A n. apply private_iff_hockey.
  rewrite identity by assumption.
  pose proof (charges_le_budget A F M e x x' d U n [] HU I). destruct HU as [H0 _]. lra.
Qed.
