(* Budgets per ordered pair, and parallel composition: parts of the data with a ledger each.

   In words: a promise may differ from pair to pair, and so may what a round declares for it.  A filter
   that, for every ordered pair, runs a round only where what was declared for this pair adds up to at
   most this pair's (eps_p, delta_p) keeps the promise of every pair (`additive_pairs_private`).
   The compensator does, with the charges of each pair at its own eps_p (`individual_private`).

   Parts: every pair differs in one part of the data, and a round has the same law under both databases
   of a pair that differs in a part which it does not read.  A ledger per part, asked only where a round
   reads it, is then (eps, d)-DP: the parts do not add up (`parts_private`).
   `overlapping_parts_refuted`: if a round is booked on one part and reads another as well, it is not. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential Leak
  Additive Twins.
Import ListNotations.
Open Scope R_scope.

Section Pairs.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.

(* a test per ordered pair of the list *)
Definition for_pairs (test : Db -> Db -> hist Req Out -> Req -> Prop) (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> test x x' h r.

Theorem additive_pairs_private : forall odds del e d : Db -> Db -> _,
  (forall x x', In (x, x') pairs ->
     1 <= e x x' /\ 0 <= d x x' /\ declared M [(x, x')] (odds x x') (del x x')) ->
  respects menu outs F
    (for_pairs (fun x x' => additive_fits (odds x x') (del x x') (e x x') (d x x'))) ->
  forall x x', In (x, x') pairs -> private menu M F (e x x') (d x x') x x'.
Proof.
  intros odds del e d H HF x x' Hp. destruct (H x x' Hp) as (He & Hd & Hdec).
  apply (additive_private menu M [(x, x')] F (odds x x') (del x x')); auto; [|left; reflexivity].
  intros h r Hr Hin Er. exact (HF h r Hr Hin Er x x' Hp).
Qed.

(* the charges of every pair that is still possible, at its own eps, within its own delta *)
Definition individual_fits (e d : Db -> Db -> R) : hist Req Out -> Req -> Prop := fun h r =>
  for_pairs (fun x x' h r => 0 < like M x h ->
    spent M (e x x') x x' h + charge M (e x x') x x' h r <= d x x') h r.

Theorem individual_private : forall e d,
  (forall x x', In (x, x') pairs -> 1 <= e x x' /\ 0 <= d x x') ->
  respects menu outs F (individual_fits e d) ->
  forall x x', In (x, x') pairs -> private menu M F (e x x') (d x x') x x'.
Proof.
  intros e d H HF x x' Hp. destruct (H x x' Hp). apply spending_private; auto.
  intros h r Hr Hin Er. exact (HF h r Hr Hin Er x x' Hp).
Qed.

(* ---------- parts ---------- *)
Section Parts.
Context {Part : Type}.
Variable reads : hist Req Out -> Req -> Part -> bool.   (* which parts a round reads *)
Variable differ : Db -> Db -> Part.                    (* the part in which a pair differs *)
Variables odds del : hist Req Out -> Req -> R.

(* (log odds, del)-DP for the pairs whose part is read, and nothing at all said about the others *)
Definition declared_by_part : Prop := forall h r, 1 <= odds h r /\ 0 <= del h r /\
  forall x x', In (x, x') pairs ->
    if reads h r (differ x x')
    then sumf (outs h r) (fun y => pos (pr M x h r y - odds h r * pr M x' h r y)) <= del h r
    else forall y, In y (outs h r) -> pr M x h r y = pr M x' h r y.

(* what a part's ledger books: nothing for a round that does not read it *)
Definition booked (part : Part) (f : hist Req Out -> Req -> R) (nothing : R) (h : hist Req Out) (r : Req) : R :=
  if reads h r part then f h r else nothing.
Definition part_fits (e d : R) (h : hist Req Out) (r : Req) : Prop := forall part,
  reads h r part = true -> additive_fits (booked part odds 1) (booked part del 0) e d h r.

Lemma booked_declared : declared_by_part -> forall x x', In (x, x') pairs ->
  declared M [(x, x')] (booked (differ x x') odds 1) (booked (differ x x') del 0).
Proof.
  intros H x x' Hp h r. destruct (H h r) as (H1 & H2 & H3). specialize (H3 x x' Hp).
  unfold booked. destruct (reads h r (differ x x')).
  - split; [assumption|]. split; [assumption|]. intros z z' [E|[]]. inversion E; subst. exact H3.
  - split; [lra|]. split; [lra|]. intros z z' [E|[]]. inversion E; subst.
    right. rewrite (sumf_ext _ _ _ (fun _ => 0)); [apply sumf_zero|].
    intros y Hy. rewrite (H3 y Hy). apply pos_of_nonpos. lra.
Qed.

Theorem parts_private : forall e d, 1 <= e -> 0 <= d -> declared_by_part ->
  respects menu outs F (part_fits e d) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d He Hd Hdec HF x x' Hp. set (part := differ x x').
  apply (additive_private menu M [(x, x')] F (booked part odds 1) (booked part del 0));
    [assumption | assumption | apply booked_declared; assumption | | left; reflexivity].
  assert (Next : forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
    product (booked part odds 1) h <= e /\ total (booked part del 0) h <= d ->
    additive_fits (booked part odds 1) (booked part del 0) e d h r).
  { intros h r Hr Hin Er [H1 H2]. destruct (reads h r part) eqn:Et; [exact (HF h r Hr Hin Er part Et)|].
    unfold additive_fits. unfold booked at 2 4. rewrite Et. lra. }
  assert (Kept : forall h, reached menu outs F h ->
    product (booked part odds 1) h <= e /\ total (booked part del 0) h <= d).
  { induction h as [|[r o] h IH]; intros Hr; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & _).
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. exact (Next h r Hr Hin Er (IH Hr)).
    - destruct Ho as [<-|[]]. exact (IH Hr). }
  intros h r Hr Hin Er. apply Next; auto.
Qed.
End Parts.
End Pairs.

(* ---------- twin: the part that is booked is not the only one that is read ---------- *)
(* the first round is booked on part true, every later one on part false; all of them read the pair *)
Definition own_part (h : hist unit sym) (_ : unit) (part : bool) : bool :=
  Bool.eqb part (match h with [] => true | _ => false end).

Theorem overlapping_parts_refuted : forall e, 1 <= e ->
  declared erasure both (fun _ _ => 1) (fun h _ => er_p h) /\
  respects er_menu er_outs two_rounds
    (part_fits own_part (fun _ _ => 1) (fun h _ => er_p h) e (1/3)) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof.
  intros e He. split; [apply erasure_declared|]. split; [|apply two_rounds_refuted; assumption].
  apply two_rounds_where; intros [|] E; try discriminate;
  unfold additive_fits, booked, blank1, own_part; simpl; lra.
Qed.
