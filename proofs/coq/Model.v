(* The game, the four answers of a filter, and what privacy means.

   In words: an adversary, random and adaptive, sends requests from a menu or stops.  For each
   request the filter, which has seen the transcript so far and the request but not the output,
   gives one of four answers: Halt (nothing is released, the game ends), Last (the output is
   released, then the game ends), Continue (it is released and the game goes on), Refuse (nothing
   is released and the game goes on).  A filter is private for an ordered pair of databases if
   P_x(S) <= e P_x'(S) + d for every adversary, horizon and set S of transcripts.

   Theorem `private_iff_hockey`: for one adversary and horizon this holds for every S exactly if
   the hockey-stick divergence is at most d; the worst S is "the realised loss exceeds eps".

   Conventions.  All supports are finite.  e stands for exp(eps), so eps >= 0 is 1 <= e and an
   infinite loss needs no special case.  A transcript lists the latest turn first; a request that
   released nothing is answered by None. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Inductive decision := Halt | Last | Continue | Refuse.

(* is the mechanism run?  may another request follow? *)
Definition runs (a : decision) : bool :=
  match a with Last | Continue => true | Halt | Refuse => false end.
Definition goes_on (a : decision) : bool :=
  match a with Continue | Refuse => true | Halt | Last => false end.

Definition hist (Req Out : Type) : Type := list (Req * option Out).
Definition filter (Req Out : Type) : Type := hist Req Out -> Req -> decision.

(* one law of the output per database, transcript and request *)
Record mechanism {Req Out : Type} (Db : Type) (outs : hist Req Out -> Req -> list Out) := {
  pr : Db -> hist Req Out -> Req -> Out -> R;
  pr_nonneg : forall x h r y, 0 <= pr x h r y;
  pr_sum : forall x h r, sumf (outs h r) (pr x h r) = 1 }.

(* the law of the next request given the transcript; with the probability left over it stops *)
Record adversary {Req Out : Type} (menu : hist Req Out -> list Req) := {
  adv : hist Req Out -> Req -> R;
  adv_nonneg : forall h r, 0 <= adv h r;
  adv_sum : forall h, sumf (menu h) (adv h) <= 1 }.

Arguments pr {Req Out Db outs} _ _ _ _ _.
Arguments pr_nonneg {Req Out Db outs} _ _ _ _ _.
Arguments pr_sum {Req Out Db outs} _ _ _ _.
Arguments adv {Req Out menu} _ _ _.
Arguments adv_nonneg {Req Out menu} _ _ _.
Arguments adv_sum {Req Out menu} _ _.

Section Likelihood.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.

Definition chance (x : Db) (h : hist Req Out) (r : Req) (o : option Out) : R :=
  match o with Some y => pr M x h r y | None => 1 end.

(* w_x(h): the prefix likelihood, mechanism factors only *)
Fixpoint like (x : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (r, o) :: k => like x k * chance x k r o
  end.

(* "the realised loss of the pair exceeds eps", without a logarithm *)
Definition exceed (e : R) (x x' : Db) (h : hist Req Out) : bool :=
  Rltb (e * like x' h) (like x h).

(* max(0, w_x - e w_x'), that is w_x h(l) with h(l) = max(0, 1 - e^(eps - l)) *)
Definition excess (e : R) (x x' : Db) (h : hist Req Out) : R := pos (like x h - e * like x' h).

Lemma chance_nonneg : forall x h r o, 0 <= chance x h r o.
Proof. intros x h r [y|]; simpl; [apply pr_nonneg | lra]. Qed.

Lemma like_nonneg : forall x h, 0 <= like x h.
Proof.
  induction h as [|[r o] h IH]; simpl; [lra|].
  apply Rmult_le_pos; [assumption | apply chance_nonneg].
Qed.

Lemma like_parent : forall x h r o, 0 < like x ((r, o) :: h) -> 0 < like x h.
Proof.
  intros x h r o H. simpl in H.
  pose proof (like_nonneg x h). pose proof (chance_nonneg x h r o). nra.
Qed.

Lemma like_outs : forall x h r, sumf (outs h r) (fun y => like x ((r, Some y) :: h)) = like x h.
Proof. intros x h r. simpl. rewrite sumf_scal, pr_sum. ring. Qed.

Lemma excess_nonneg : forall e x x' h, 0 <= excess e x x' h.
Proof. intros; apply pos_ge. Qed.

Lemma excess_le_like : forall e x x' h, 0 <= e -> excess e x x' h <= like x h.
Proof.
  intros. pose proof (like_nonneg x h). pose proof (like_nonneg x' h).
  apply pos_le; [assumption | nra].
Qed.

Lemma excess_le_exceed : forall e x x' h, 0 <= e ->
  excess e x x' h <= like x h * ind (exceed e x x' h).
Proof.
  intros e x x' h He. pose proof (excess_le_like e x x' h He).
  unfold exceed. destruct (Rltb (e * like x' h) (like x h)) eqn:E; simpl ind; [lra|].
  apply Rltb_false in E. unfold excess. rewrite pos_of_nonpos; lra.
Qed.

Lemma excess_nil : forall e x x', 1 <= e -> excess e x x' [] = 0.
Proof. intros e x x' He. unfold excess; simpl. apply pos_of_nonpos; lra. Qed.

Lemma excess_unreleased : forall e x x' h r, excess e x x' ((r, None) :: h) = excess e x x' h.
Proof. intros. unfold excess; simpl. rewrite !Rmult_1_r. reflexivity. Qed.
End Likelihood.

(* ---------- a filter plays an adversary ---------- *)
Section Play.
Context {Db Req Out : Type} {menu : hist Req Out -> list Req}.
Variable outs : hist Req Out -> Req -> list Out.
Variable A : adversary menu.
Variable F : filter Req Out.
Variable M : mechanism Db outs.

Definition stops (h : hist Req Out) : R := 1 - sumf (menu h) (adv A h).

(* what may be seen after request r: an output if the mechanism is run, else nothing *)
Definition replies (h : hist Req Out) (r : Req) : list (option Out) :=
  if runs (F h r) then map Some (outs h r) else [None].

(* transcripts after which another request is taken *)
Fixpoint reached (h : hist Req Out) : Prop :=
  match h with
  | [] => True
  | (r, o) :: k => reached k /\ In r (menu k) /\ In o (replies k r) /\ goes_on (F k r) = true
  end.

(* E_x[ f(final transcript) ] with at most n more requests *)
Fixpoint law (x : Db) (n : nat) (h : hist Req Out) (f : hist Req Out -> R) : R :=
  match n with
  | O => f h
  | S n' => stops h * f h + sumf (menu h) (fun r => adv A h r *
      sumf (replies h r) (fun o => chance M x h r o *
        (if goes_on (F h r) then law x n' ((r, o) :: h) f else f ((r, o) :: h))))
  end.

Definition prob (x : Db) (n : nat) (S : hist Req Out -> bool) : R :=
  law x n [] (fun h => ind (S h)).

(* the same sum with the adversary's weights only: g carries the likelihood itself *)
Fixpoint leaves (n : nat) (h : hist Req Out) (g : hist Req Out -> R) : R :=
  match n with
  | O => g h
  | S n' => stops h * g h + sumf (menu h) (fun r => adv A h r *
      sumf (replies h r) (fun o =>
        if goes_on (F h r) then leaves n' ((r, o) :: h) g else g ((r, o) :: h)))
  end.

(* hockey-stick divergence of the whole interaction *)
Definition hockey (e : R) (x x' : Db) (n : nat) : R := leaves n [] (excess M e x x').

Lemma stops_nonneg : forall h, 0 <= stops h.
Proof. intros h. unfold stops. pose proof (adv_sum A h). lra. Qed.

Lemma leaves_le : forall n h g g', (forall k, g k <= g' k) -> leaves n h g <= leaves n h g'.
Proof.
  induction n as [|n IH]; intros h g g' H; [apply H|]. cbn [leaves].
  apply Rplus_le_compat; [apply Rmult_le_compat_l; [apply stops_nonneg | apply H]|].
  apply sumf_le; intros r _. apply Rmult_le_compat_l; [apply adv_nonneg|].
  apply sumf_le; intros o _. destruct (goes_on (F h r)); auto.
Qed.

Lemma leaves_ext : forall n h g g', (forall k, g k = g' k) -> leaves n h g = leaves n h g'.
Proof. intros; apply Rle_antisym; apply leaves_le; intros; rewrite H; lra. Qed.

Lemma leaves_minus_scal : forall c n h f g,
  leaves n h (fun k => f k - c * g k) = leaves n h f - c * leaves n h g.
Proof.
  induction n as [|n IH]; intros h f g; [reflexivity|]. cbn [leaves].
  rewrite (sumf_ext _ (menu h) _ (fun r =>
    adv A h r * sumf (replies h r) (fun o =>
      if goes_on (F h r) then leaves n ((r, o) :: h) f else f ((r, o) :: h))
    - c * (adv A h r * sumf (replies h r) (fun o =>
      if goes_on (F h r) then leaves n ((r, o) :: h) g else g ((r, o) :: h))))).
  - rewrite sumf_minus, sumf_scal. ring.
  - intros r _. rewrite (sumf_ext _ (replies h r) _ (fun o =>
      (if goes_on (F h r) then leaves n ((r, o) :: h) f else f ((r, o) :: h))
      - c * (if goes_on (F h r) then leaves n ((r, o) :: h) g else g ((r, o) :: h)))).
    + rewrite sumf_minus, sumf_scal. ring.
    + intros o _. destruct (goes_on (F h r)); [apply IH | ring].
Qed.

(* leaves weighted by a likelihood are an expectation *)
Lemma leaves_law : forall x n h f,
  leaves n h (fun k => like M x k * f k) = like M x h * law x n h f.
Proof.
  induction n as [|n IH]; intros h f; [reflexivity|]. cbn [leaves law].
  rewrite Rmult_plus_distr_l, <- sumf_scal. f_equal; [ring|].
  apply sumf_ext; intros r _.
  transitivity (adv A h r * (like M x h * sumf (replies h r) (fun o => chance M x h r o *
    (if goes_on (F h r) then law x n ((r, o) :: h) f else f ((r, o) :: h))))); [|ring].
  f_equal. rewrite <- sumf_scal. apply sumf_ext; intros o _.
  destruct (goes_on (F h r)); [rewrite IH|]; simpl; ring.
Qed.

Lemma chance_sum : forall x h r, sumf (replies h r) (chance M x h r) = 1.
Proof.
  intros x h r. unfold replies. destruct (runs (F h r)); [|simpl; lra].
  rewrite sumf_map. apply pr_sum.
Qed.

Lemma like_replies : forall x h r,
  sumf (replies h r) (fun o => like M x ((r, o) :: h)) = like M x h.
Proof. intros. simpl. rewrite sumf_scal, chance_sum. ring. Qed.

Lemma law_const : forall x n h c, law x n h (fun _ => c) = c.
Proof.
  induction n as [|n IH]; intros h c; [reflexivity|]. cbn [law].
  rewrite (sumf_ext _ _ _ (fun r => adv A h r * c)).
  - rewrite sumf_scal_r. unfold stops. ring.
  - intros r _. f_equal. rewrite (sumf_ext _ _ _ (fun o => chance M x h r o * c)).
    + rewrite sumf_scal_r, chance_sum. ring.
    + intros o _. f_equal. destruct (goes_on (F h r)); auto.
Qed.

(* sanity: P_x is a probability law on final transcripts *)
Theorem total_probability : forall x n, prob x n (fun _ => true) = 1.
Proof. intros. unfold prob. simpl ind. apply law_const. Qed.

Lemma prob_gap : forall e x x' n S, prob x n S - e * prob x' n S =
  leaves n [] (fun h => (like M x h - e * like M x' h) * ind (S h)).
Proof.
  intros e x x' n S. unfold prob.
  rewrite (leaves_ext _ _ _ (fun h => like M x h * ind (S h) - e * (like M x' h * ind (S h))))
    by (intros; ring).
  rewrite leaves_minus_scal, !leaves_law. simpl; ring.
Qed.

Theorem hockey_upper : forall e x x' n S, prob x n S <= e * prob x' n S + hockey e x x' n.
Proof.
  intros e x x' n S.
  assert (prob x n S - e * prob x' n S <= hockey e x x' n); [|lra].
  rewrite prob_gap. apply leaves_le; intros h. unfold excess.
  pose proof (pos_ge (like M x h - e * like M x' h)). destruct (S h); simpl; lra.
Qed.

Theorem hockey_attained : forall e x x' n,
  prob x n (exceed M e x x') = e * prob x' n (exceed M e x x') + hockey e x x' n.
Proof.
  intros e x x' n.
  assert (prob x n (exceed M e x x') - e * prob x' n (exceed M e x x') = hockey e x x' n); [|lra].
  rewrite prob_gap. apply leaves_ext; intros h. unfold exceed, excess.
  destruct (Rltb (e * like M x' h) (like M x h)) eqn:E; simpl ind.
  - apply Rltb_true in E. rewrite pos_of_nonneg; lra.
  - apply Rltb_false in E. rewrite pos_of_nonpos; lra.
Qed.

Theorem private_iff_hockey : forall e x x' n d,
  (forall S, prob x n S <= e * prob x' n S + d) <-> hockey e x x' n <= d.
Proof.
  intros e x x' n d; split; intros H.
  - specialize (H (exceed M e x x')). pose proof (hockey_attained e x x' n). lra.
  - intros S. pose proof (hockey_upper e x x' n S). lra.
Qed.

(* the paper's first step: a bound on the tail of the loss is enough *)
Theorem hockey_le_tail : forall e x x' n, 0 <= e -> hockey e x x' n <= prob x n (exceed M e x x').
Proof.
  intros e x x' n He. unfold prob. rewrite <- (Rmult_1_l (law _ _ _ _)).
  change 1 with (like M x []). rewrite <- leaves_law.
  apply leaves_le; intros h. apply excess_le_exceed; assumption.
Qed.
End Play.

Arguments reached {Req Out} menu outs F h.
Arguments law {Db Req Out menu outs} A F M.
Arguments prob {Db Req Out menu outs} A F M.
Arguments hockey {Db Req Out menu outs} A F M.

(* (eps, d)-differential privacy of a filter for one ordered pair: Definition 1 of the paper *)
Definition private {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) (F : filter Req Out)
    (e d : R) (x x' : Db) : Prop :=
  forall (A : adversary menu) n S, prob A F M x n S <= e * prob A F M x' n S + d.
