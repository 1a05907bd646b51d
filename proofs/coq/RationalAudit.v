(* The audit as a program: the worst divergence of a filter on a game, in rationals.

   In words: backward induction with rational numbers gives the number that the specification gives
   (`worst_computes`), so it decides (eps, d)-DP of any filter against every random adaptive
   adversary up to the horizon (`computed_audit_decides`), on every tree with no further hypothesis
   (`tree_audit_decides`). *)
From Coq Require Import QArith Qreals Rbase Rfunctions List Bool Lia Lra Arith.
From Filterproof Require Import Sums Model Audit Rational Games.
Import ListNotations.
Open Scope Q_scope.

Definition maxQ (a b : Q) : Q := if Qle_bool a b then b else a.
Lemma Q2R_max : forall a b, Q2R (maxQ a b) = Rmax (Q2R a) (Q2R b).
Proof.
  intros. unfold maxQ, Rmax. rewrite Qleb_Rleb. unfold Rleb.
  destruct (Rle_dec (Q2R a) (Q2R b)); reflexivity.
Qed.

Section Computed.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Variable prQ : Db -> hist Req Out -> Req -> Out -> Q.
Variable F : filter Req Out.
Variable eQ : Q.
Variables x x' : Db.
Local Notation H := (hist Req Out).
Local Notation excQ := (excessQ prQ eQ x x').

Definition askQ (v : H -> Q) (h : H) (r : Req) : Q :=
  let a := F h r in
  sumQ (if runs a then map Some (outs h r) else [None])
    (fun o => if goes_on a then v ((r, o) :: h) else excQ ((r, o) :: h)).

Fixpoint worstQ (n : nat) (h : H) : Q :=
  match n with
  | O => excQ h
  | S n' => fold_right (fun r best => maxQ (askQ (worstQ n') h r) best) (excQ h) (menu h)
  end.

Hypothesis nonneg : forall z h r y, 0 <= prQ z h r y.
Hypothesis total : forall z h r, sumQ (outs h r) (prQ z h r) == 1.
Local Notation M := (real_mechanism outs prQ nonneg total).
Local Notation e := (Q2R eQ).

Lemma fold_max : forall (l : list Req) (f : Req -> R) base,
  let m := fold_right (fun r best => Rmax (f r) best) base l in
  (base <= m)%R /\ (forall r, In r l -> (f r <= m)%R) /\ (m = base \/ exists r, In r l /\ m = f r).
Proof.
  induction l as [|a l IH]; intros f base; simpl.
  - split; [lra|]. split; [intros r [] | left; reflexivity].
  - destruct (IH f base) as (H1 & H2 & H3). set (m := fold_right _ _ _) in *.
    pose proof (Rmax_l (f a) m). pose proof (Rmax_r (f a) m).
    split; [lra|]. split; [intros r [<-|Hr]; [assumption | specialize (H2 r Hr); lra]|].
    destruct (Rle_dec (f a) m) as [C|C].
    + rewrite Rmax_right by assumption. destruct H3 as [H3|[r [Hr H3]]]; [left | right]; eauto.
    + rewrite Rmax_left by lra. right. eauto.
Qed.

Lemma ask_link : forall v w, (forall k, Q2R (v k) = w k) -> forall h r,
  Q2R (askQ v h r) = ask M F e x x' w h (Some r).
Proof.
  intros v w Hv h r. unfold askQ, ask, replies. rewrite Q2R_sum. apply sumf_ext; intros o _.
  destruct (goes_on (F h r)); [apply Hv | apply excess_link].
Qed.

Theorem worst_computes : forall n h, Q2R (worstQ n h) = worst menu M F e x x' n h.
Proof.
  induction n as [|n IH]; intros h; cbn [worstQ worst]; [apply excess_link|].
  set (v := worst menu M F e x x' n) in *.
  assert (E : Q2R (fold_right (fun r best => maxQ (askQ (worstQ n) h r) best) (excQ h) (menu h))
    = fold_right (fun r best => Rmax (ask M F e x x' v h (Some r)) best) (excess M e x x' h) (menu h)).
  { induction (menu h) as [|r l IHl]; cbn [fold_right]; [apply excess_link|].
    rewrite Q2R_max, IHl, (ask_link _ v IH). reflexivity. }
  rewrite E. clear E.
  destruct (fold_max (menu h) (fun r => ask M F e x x' v h (Some r)) (excess M e x x' h))
    as (H1 & H2 & H3).
  set (m := fold_right _ _ _) in *. cbv beta in *. apply Rle_antisym.
  - destruct H3 as [->|[r [Hr ->]]]; [apply best_stop | apply best_max; assumption].
  - destruct (best menu M F e x x' v h) as [r|] eqn:Eb; [|exact H1].
    apply H2. eapply best_in. exact Eb.
Qed.

Theorem computed_audit_decides : forall (Req_eq : forall a b : Req, {a = b} + {a <> b}),
  (forall h, NoDup (menu h)) -> forall N d,
  (forall (A : adversary menu) S, (prob A F M x N S <= e * prob A F M x' N S + Q2R d)%R)
  <-> worstQ N [] <= d.
Proof.
  intros Req_eq nodup N d. rewrite (audit_exact menu M F e x x' Req_eq nodup N), <- worst_computes.
  split; [apply Rle_Qle | apply Qle_Rle].
Qed.
End Computed.

Definition tree_worst (top : nat) (t : tree) (F : filter nat nat) (q : Q) (x x' N : nat) : Q :=
  worstQ (tree_menu top t) (tree_outs top t) (tree_pr top t) F q x x' N [].

Theorem tree_audit_decides : forall top t F q x x' N d,
  (forall (A : adversary (tree_menu top t)) S,
     (prob A F (tree_mechanism top t) x N S
      <= Q2R q * prob A F (tree_mechanism top t) x' N S + Q2R d)%R)
  <-> tree_worst top t F q x x' N <= d.
Proof.
  intros top t F q x x' N d.
  assert (nodup : forall h, NoDup (tree_menu top t h)).
  { induction h as [|[r [y|]] h IH]; simpl; [apply NoDup_nodup | apply NoDup_nodup | exact IH]. }
  exact (computed_audit_decides (tree_menu top t) (tree_outs top t) (tree_pr top t) F q x x'
    (tree_pr_nonneg top t) (tree_pr_sum top t) Nat.eq_dec nodup N d).
Qed.

(* the guessing game with four symbols: the published rule reaches 1, the repaired one 0 *)
Example guess4_worst :
  tree_worst 1 guess4 (tree_published 1 guess4 both 3 0 (1 # 4) 2) 3 0 1 2 = 1 /\
  tree_worst 1 guess4 (tree_repaired 1 guess4 both 3 0 (1 # 4) 2) 3 0 1 2 = 0 /\
  tree_worst 1 guess4 (tree_compensator 1 guess4 both 3 (1 # 2)) 3 0 1 2 = 0.
Proof. repeat split; vm_compute; reflexivity. Qed.
