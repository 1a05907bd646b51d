(* The additive filter: what the mechanisms declare is added up.

   In words: every mechanism declares a true (eps_i, delta_i), carried as odds exp(eps_i).  A filter
   that runs a round only if the product of the odds so far and its own is at most exp(eps), and the
   sum of the delta_i at most d, is (eps, d)-DP for every pair of the list, every random adaptive
   adversary, horizon and whatever it answers otherwise (`additive_private`).

   The part of P_x below odds times P_x' leaves out at most delta_i in a round, and never exceeds the
   product of the odds; so the potential is what has leaked and may still leak (Leak.v).
   `per_round_delta_refuted`: comparing each delta_i with d alone is not private. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential Leak.
Import ListNotations.
Open Scope R_scope.

Section Additive.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variables odds del : hist Req Out -> Req -> R.

(* (log odds, del)-DP of every mechanism, for every ordered pair *)
Definition declared : Prop := forall h r, 1 <= odds h r /\ 0 <= del h r /\
  forall x x', In (x, x') pairs ->
    sumf (outs h r) (fun y => pos (pr M x h r y - odds h r * pr M x' h r y)) <= del h r.

Definition additive_fits (e d : R) (h : hist Req Out) (r : Req) : Prop :=
  product odds h * odds h r <= e /\ total del h + del h r <= d.

(* the part of P_x that odds times P_x' covers *)
Definition covered (x x' : Db) (h : hist Req Out) (r : Req) (y : Out) : R :=
  Rmin (pr M x h r y) (odds h r * pr M x' h r y).

Section Pair.
Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.
Hypothesis Hdec : declared.

Lemma covered_part : part_of M x (covered x x').
Proof.
  intros h r y. unfold covered. pose proof (pr_nonneg M x h r y). pose proof (pr_nonneg M x' h r y).
  destruct (Hdec h r) as [Ho _]. split; [|apply Rmin_l]. apply Rmin_glb; [assumption | nra].
Qed.

Lemma covered_leak : leaks_at_most (outs := outs) (covered x x') del.
Proof.
  intros h r. destruct (Hdec h r) as (_ & Hd & Ht). split; [assumption|].
  specialize (Ht x x' Hp). rewrite <- (pr_sum M x h r).
  rewrite (sumf_ext _ _ (covered x x' h r) (fun y => pr M x h r y
    - pos (pr M x h r y - odds h r * pr M x' h r y))).
  - rewrite sumf_minus. lra.
  - intros y _. unfold covered, pos, Rmin, Rmax.
    destruct (Rle_dec (pr M x h r y) _); destruct (Rle_dec 0 _); lra.
Qed.

Lemma product_ge : forall h, 1 <= product odds h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. destruct (Hdec h r) as [Ho _]. nra.
Qed.

Lemma covered_below : forall h, mass (covered x x') h <= product odds h * mass (pr M x') h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [lra | |exact IH].
  pose proof (mass_range M x _ covered_part h) as [H0 _].
  destruct (covered_part h r y) as [H1 _].
  apply Rle_trans with (product odds h * mass (pr M x') h * (odds h r * pr M x' h r y));
    [|right; ring].
  apply Rmult_le_compat; try assumption. apply Rmin_r.
Qed.

Lemma true_part : part_of M x' (pr M x').
Proof. intros h r y. pose proof (pr_nonneg M x' h r y). lra. Qed.

(* while the product of the odds is within exp(eps), only what leaked can be lost *)
Lemma excess_leaks : forall e d h, 1 <= e -> product odds h <= e -> total del h <= d ->
  excess M e x x' h <= leaking M x (covered x x') del d h.
Proof.
  intros e d h He Ho Hd. eapply Rle_trans; [|apply leaking_ge; [apply covered_part | assumption]].
  pose proof (excess_parts M x x' _ _ covered_part true_part e h ltac:(lra)) as X.
  pose proof (covered_below h). pose proof (mass_range M x' _ true_part h) as [H0 _].
  rewrite pos_of_nonpos in X by nra. lra.
Qed.
End Pair.

Theorem additive_private : forall e d, 1 <= e -> 0 <= d -> declared ->
  respects menu outs F (additive_fits e d) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d He Hd Hdec HF x x' Hp.
  assert (Kept : forall h, reached menu outs F h -> product odds h <= e /\ total del h <= d).
  { induction h as [|[r o] h IH]; intros Hr; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & _).
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. exact (HF h r Hr Hin Er).
    - destruct Ho as [<-|[]]. exact (IH Hr). }
  apply (majorant_private menu M F e x x' d (leaking M x (covered x x') del d)); [assumption|].
  split; [unfold leaking; simpl; lra|]. split; [|split].
  - intros h Hr. destruct (Kept h Hr). apply excess_leaks; assumption.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Ho Ht].
    eapply Rle_trans; [|apply (leaking_step M x (covered x x')
      (covered_part x x' Hdec) del d (covered_leak x x' Hp Hdec) h r Ht)].
    apply sumf_le; intros y _. destruct (goes_on (F h r)); [lra|]. apply excess_leaks; assumption.
  - intros h r _ _ _. unfold leaking. simpl. rewrite Rmult_1_r. lra.
Qed.
End Additive.

(* ---------- twin: each delta_i on its own ---------- *)
Definition per_round_delta (odds del : hist unit sym -> unit -> R) (e d : R) : filter unit sym :=
  gate (fun h r => Rleb (product odds h * odds h r) e && Rleb (del h r) d).

(* erasure p is (0, p)-DP, and so a promise that holds *)
Lemma erasure_declared :
  declared erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h).
Proof.
  assert (P : forall h, 0 <= er_p h <= 1) by (intros [|a h]; simpl; lra).
  intros h r. specialize (P h). split; [lra|]. split; [lra|].
  intros x x' [E|[E|[]]]; inversion E; subst; unfold er_outs; unfold sumf; simpl;
  unfold er_pr, pos, Rmax; repeat (destruct (Rle_dec _ _)); lra.
Qed.

Theorem per_round_delta_refuted : forall e, 1 <= e ->
  declared erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h) /\
  ~ private er_menu erasure (per_round_delta (fun _ _ => 1) (fun h _ => er_p h) e (1/3))
      e (1/3) true false.
Proof.
  intros e He. split; [apply erasure_declared|].
  apply two_erasures_refuted; [assumption | |]; unfold per_round_delta, gate; simpl;
  rewrite (proj2 (Rleb_true _ _)), (proj2 (Rleb_true _ _)); try reflexivity; lra.
Qed.
