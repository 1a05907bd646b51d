(* Two filters that keep the sum of charges within delta without computing it exactly.

   In words: `gate_respects`: a filter that runs a round where a test passes, and halts or refuses
   elsewhere, is one of those that the theorems about tests speak of.  A filter that charges at least what each round costs is private
   (`compensator_upper_bound_private`: charges rounded up to a grid, say).  One such charge is the
   probability that the next output takes the loss above eps; so the naive rule at delta/N, for at
   most N rounds, is private (`naive_over_n_private`), which the naive rule at delta is not
   (`naive_refuted` in Controls.v).  Requests that released nothing do not count as rounds. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator LookAhead Potential.
Import ListNotations.
Open Scope R_scope.

Theorem gate_respects : forall {Req Out : Type} (menu : hist Req Out -> list Req)
    (outs : hist Req Out -> Req -> list Out) (test : hist Req Out -> Req -> Prop) passes,
  (forall h r, passes h r = true -> test h r) ->
  respects menu outs (gate passes) test /\
  respects menu outs (fun h r => if passes h r then Continue else Refuse) test.
Proof.
  intros Req Out menu outs test passes H.
  split; intros h r _ _ Er; apply H; unfold gate in *; destruct (passes h r); easy.
Qed.

Section Bounds.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e d : R.
Variable pairs : list (Db * Db).

(* what is charged in place of the charge, and its sum over the rounds that ran *)
Variable over : Db -> Db -> hist Req Out -> Req -> R.
Fixpoint over_spent (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 0
  | (r, Some _) :: k => over_spent x x' k + over x x' k r
  | (_, None) :: k => over_spent x x' k
  end.

Definition over_fits (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h -> over_spent x x' h + over x x' h r <= d.

Theorem compensator_upper_bound_private : 1 <= e -> 0 <= d ->
  (forall x x' h r, In (x, x') pairs -> 0 < like M x h -> charge M e x x' h r <= over x x' h r) ->
  respects menu outs F over_fits ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros He Hd Hover HF x x' Hp. apply spending_private; [assumption | assumption |].
  assert (Le : forall h, 0 < like M x h -> spent M e x x' h <= over_spent x x' h).
  { induction h as [|[r [y|]] h IH]; intros Hl; simpl; [lra | |];
    pose proof (like_parent M x h r _ Hl) as Hl'; specialize (IH Hl'); [|assumption].
    specialize (Hover x x' h r Hp Hl'). lra. }
  intros h r Hr Hin Er Hl. specialize (HF h r Hr Hin Er x x' Hp Hl).
  specialize (Le h Hl). specialize (Hover x x' h r Hp Hl). lra.
Qed.

(* ---------- the naive rule at delta/N ---------- *)
(* a charge is at most the probability of a loss above eps after the round *)
Lemma charge_le_tail : forall x x' h r, 0 <= e -> 0 < like M x h ->
  charge M e x x' h r <= tail M e x x' h r.
Proof.
  intros x x' h r He Hl. apply (Rmult_le_reg_l (like M x h)); [assumption|].
  rewrite charge_spec by assumption. unfold ucharge, tail. rewrite <- sumf_scal.
  pose proof (excess_nonneg M e x x' h).
  assert (sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h))
    <= sumf (outs h r) (fun y => like M x h * (pr M x h r y *
         ind (exceed M e x x' ((r, Some y) :: h)))));
    [|lra].
  apply sumf_le; intros y _.
  pose proof (excess_le_exceed M e x x' ((r, Some y) :: h) He) as G. cbn [like chance] in G. lra.
Qed.

(* a round is left, and every live pair risks at most delta/N in it *)
Definition naive_fits (N : nat) (h : hist Req Out) (r : Req) : Prop :=
  (S (rounds h) <= N)%nat /\
  forall x x', In (x, x') pairs -> 0 < like M x h -> tail M e x x' h r * INR N <= d.

End Bounds.

Theorem naive_over_n_private : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) (F : filter Req Out) e d pairs N,
  1 <= e -> 0 <= d -> respects menu outs F (naive_fits M e d pairs N) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs M F e d pairs N He Hd HF x x' Hp.
  apply spending_private; [assumption | assumption |].
  assert (Fits : forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
    0 < like M x h -> (S (rounds h) <= N)%nat /\ charge M e x x' h r * INR N <= d).
  { intros h r Hr Hin Er Hl. destruct (HF h r Hr Hin Er) as [HN Ht]. split; [assumption|].
    specialize (Ht x x' Hp Hl). pose proof (charge_le_tail M e x x' h r ltac:(lra) Hl).
    pose proof (pos_INR N). nra. }
  assert (Le : forall h, reached menu outs F h -> 0 < like M x h ->
    spent M e x x' h * INR N <= INR (rounds h) * d).
  { induction h as [|[r o] h IH]; intros Hr Hl; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & Hg).
    pose proof (like_parent M x h r o Hl) as Hl'. specialize (IH Hr Hl').
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]].
      destruct (Fits h r Hr Hin Er Hl') as [_ Hc].
      change (rounds ((r, Some y) :: h)) with (S (rounds h)). rewrite S_INR. cbn [spent]. lra.
    - destruct Ho as [<-|[]]. exact IH. }
  intros h r Hr Hin Er Hl. destruct (Fits h r Hr Hin Er Hl) as [HN Hc]. specialize (Le h Hr Hl).
  assert (INR (S (rounds h)) <= INR N) by (apply le_INR; assumption). rewrite S_INR in H.
  pose proof (pos_INR (rounds h)).
  apply (Rmult_le_reg_r (INR N)); [lra|]. nra.
Qed.
