(* One-parameter families of mechanisms that compose: adding up the parameter is a filter.

   In words: let G v a b bound sum pos(a P - b Q) for the mechanisms of parameter v, for all a, b >= 0 (a
   trade-off curve, dually).  Suppose that the family composes: a mechanism of parameter v followed by
   one of parameter u stays below G (u + v).  Then a filter that runs a round only while the parameters
   add up to at most m, with G m 1 exp(eps) <= d, is (eps, d)-DP for every pair of the list, random
   adaptive adversary, horizon and whatever it answers otherwise (`family_private`).

   Gaussian DP is the case v = mu^2.  That its curves compose (Dong, Roth and Su) is *not* proved here: for
   the Gaussian filter this theorem is conditional on it. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential.
Import ListNotations.
Open Scope R_scope.

Definition profile := R -> R -> R -> R.

(* the pair of laws has parameter v *)
Definition below {T : Type} (G : profile) (v : R) (l : list T) (P Q : T -> R) : Prop :=
  forall a b, 0 <= a -> 0 <= b -> sumf l (fun y => pos (a * P y - b * Q y)) <= G v a b.

Definition composes (G : profile) (T : Type) : Prop :=
  (forall v a b, 0 <= v -> 0 <= a -> 0 <= b -> pos (a - b) <= G v a b) /\
  (forall u v (l : list T) P Q a b, 0 <= u -> 0 <= v -> 0 <= a -> 0 <= b ->
     (forall y, 0 <= P y) -> (forall y, 0 <= Q y) -> sumf l P = 1 -> sumf l Q = 1 ->
     below G v l P Q -> sumf l (fun y => G u (a * P y) (b * Q y)) <= G (u + v) a b).

Section Family.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variable G : profile.
Variable param : hist Req Out -> Req -> R.
Hypothesis G_composes : composes G Out.

(* every round that has a parameter at all has the one it is charged; others do not run *)
Definition family_fits (m : R) (h : hist Req Out) (r : Req) : Prop :=
  0 <= param h r /\
  (forall x x', In (x, x') pairs -> below G (param h r) (outs h r) (pr M x h r) (pr M x' h r)) /\
  total param h + param h r <= m.

Theorem family_private : forall e d m, 1 <= e -> 0 <= m -> G m 1 e <= d ->
  respects menu outs F (family_fits m) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d m He Hm Hd HF x x' Hp. destruct G_composes as [Above Step].
  assert (Kept : forall h, reached menu outs F h -> total param h <= m).
  { induction h as [|[r o] h IH]; intros Hr; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & _).
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. apply (HF h r Hr Hin Er).
    - destruct Ho as [<-|[]]. exact (IH Hr). }
  set (V := fun h => G (m - total param h) (like M x h) (e * like M x' h)).
  assert (Pos : forall z h, 0 <= like M z h) by (intros; apply like_nonneg).
  assert (Le : forall h, total param h <= m -> excess M e x x' h <= V h).
  { intros h H. apply Above; [lra | apply Pos | apply Rmult_le_pos; [lra | apply Pos]]. }
  apply (majorant_private menu M F e x x' d V); [assumption|]. split; [|split; [|split]].
  - unfold V. simpl. rewrite Rminus_0_r, Rmult_1_r. exact Hd.
  - intros h Hr. apply Le, Kept, Hr.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as (H0 & Hb & Ht).
    apply Rle_trans with (sumf (outs h r) (fun y => V ((r, Some y) :: h))).
    + apply sumf_le; intros y _. destruct (goes_on (F h r)); [lra | apply Le; exact Ht].
    + unfold V. cbn [total like chance].
      replace (m - total param h) with (m - (total param h + param h r) + param h r) by ring.
      eapply Rle_trans; [right|apply (Step _ _ (outs h r) (pr M x h r) (pr M x' h r));
        [lra | assumption | apply Pos | apply Rmult_le_pos; [lra | apply Pos] |
         apply pr_nonneg | apply pr_nonneg | apply pr_sum | apply pr_sum | apply Hb; assumption]].
      apply sumf_ext; intros y _. f_equal. ring.
  - intros h r _ _ _. unfold V. simpl. rewrite !Rmult_1_r. lra.
Qed.
End Family.

(* such families exist: nothing at v = 0, everything above *)
Definition all_or_nothing : profile := fun v a b => if Rle_dec v 0 then pos (a - b) else a.

Lemma all_or_nothing_composes : forall T, composes all_or_nothing T.
Proof.
  intros T. unfold all_or_nothing. split.
  - intros v a b _ Ha Hb. destruct (Rle_dec v 0); [lra|]. apply pos_le; lra.
  - intros u v l P Q a b Hu Hv Ha Hb HP HQ P1 Q1 HB. specialize (HB a b Ha Hb).
    destruct (Rle_dec u 0) as [U|U].
    + replace u with 0 by lra. rewrite Rplus_0_l. exact HB.
    + destruct (Rle_dec (u + v) 0); [lra|]. rewrite sumf_scal, P1. lra.
Qed.
