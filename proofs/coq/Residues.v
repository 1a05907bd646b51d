(* Residues: what is left of a budget after a mechanism, as a curve of its own.

   In words: let G v be curves (trade-off curves, dually) with pos(a - b) <= G v a b for a, b >= 0, whatever
   the index v is.  v' is a *residue* of v after a round if the round, followed by anything that
   stays below the curve of v', stays below the curve of v.  A filter that keeps an index, begins
   with one whose curve is at most d at (1, e^eps), runs a round only if the index that it keeps after
   each output is a residue, and does not raise it by a refusal, is (eps, d)-DP for every pair, random
   adaptive adversary and horizon (`residue_private`).

   With a family that composes, taking the round's own parameter off is a residue
   (`composes_residue`), so the filter that adds parameters up is one that keeps residues.  A
   larger residue is allowed: with Gaussian curves it is `gdp_residue_private`. *)
From Coq Require Import Reals List Bool Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model Identity Potential Family Gauss GaussCurve GaussDP.
Import ListNotations.
Open Scope R_scope.

Definition residue_after {V T : Type} (G : V -> R -> R -> R) (v : V) (v' : T -> V)
    (l : list T) (P Q : T -> R) : Prop :=
  forall a b, 0 <= a -> 0 <= b -> sumf l (fun y => G (v' y) (a * P y) (b * Q y)) <= G v a b.

Section Residues.
Context {Db Req Out V : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variable G : V -> R -> R -> R.
Variable left : hist Req Out -> V.
Hypothesis above : forall h a b, reached menu outs F h -> 0 <= a -> 0 <= b ->
  pos (a - b) <= G (left h) a b.

Definition residue_fits (h : hist Req Out) (r : Req) : Prop :=
  (forall y a b, 0 <= a -> 0 <= b -> pos (a - b) <= G (left ((r, Some y) :: h)) a b) /\
  forall x x', In (x, x') pairs ->
    residue_after G (left h) (fun y => left ((r, Some y) :: h)) (outs h r)
      (pr M x h r) (pr M x' h r).

Theorem residue_private : forall e d, 1 <= e -> G (left []) 1 e <= d ->
  (forall h r, F h r = Refuse -> left ((r, None) :: h) = left h) ->
  respects menu outs F residue_fits ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d He Hd Href HF x x' Hp.
  assert (Pos : forall z h, 0 <= like M z h) by (intros; apply like_nonneg).
  assert (Epos : forall z h, 0 <= e * like M z h)
    by (intros; apply Rmult_le_pos; [lra | apply Pos]).
  set (W := fun h => G (left h) (like M x h) (e * like M x' h)).
  apply (majorant_private menu M F e x x' d W); [assumption|]. split; [|split; [|split]].
  - unfold W. simpl. rewrite Rmult_1_r. exact Hd.
  - intros h Hr. apply above; auto.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Ha Hres].
    apply Rle_trans with (sumf (outs h r) (fun y => W ((r, Some y) :: h))).
    + apply sumf_le; intros y _. destruct (goes_on (F h r)); [lra|]. unfold W. apply Ha; auto.
    + unfold W. cbn [like chance].
      eapply Rle_trans; [right|apply (Hres x x' Hp); auto].
      apply sumf_ext; intros y _. f_equal; ring.
  - intros h r Hr Hin Er. unfold W. rewrite (Href h r Er). simpl. rewrite !Rmult_1_r. lra.
Qed.
End Residues.

(* taking the parameter off is a residue *)
Theorem composes_residue : forall G T, composes G T -> forall m v (l : list T) P Q,
  0 <= v -> v <= m -> (forall y, 0 <= P y) -> (forall y, 0 <= Q y) -> sumf l P = 1 -> sumf l Q = 1 ->
  below G v l P Q -> residue_after G m (fun _ => m - v) l P Q.
Proof.
  intros G T [_ Step] m v l P Q Hv Hm HP HQ P1 Q1 HB a b Ha Hb.
  apply Rle_trans with (G (m - v + v) a b); [apply Step; auto; lra|].
  replace (m - v + v) with m by ring. lra.
Qed.

Section Gaussian.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variable left : hist Req Out -> R.

(* what is left is a mu^2, never negative *)
Definition gdp_residue_fits (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs ->
    residue_after gauss_curve (left h) (fun y => left ((r, Some y) :: h)) (outs h r)
      (pr M x h r) (pr M x' h r).

Theorem gdp_residue_private : forall e d, 1 <= e -> gauss_curve (left []) 1 e <= d ->
  (forall h, 0 <= left h) ->
  (forall h r, F h r = Refuse -> left ((r, None) :: h) = left h) ->
  respects menu outs F gdp_residue_fits ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d He Hd Hl Href HF.
  apply (residue_private menu M pairs F gauss_curve left); auto.
  - intros h a b _ Ha Hb. apply curve_above; auto.
  - intros h r Hr Hin Er. split; [|exact (HF h r Hr Hin Er)].
    intros y a b Ha Hb. apply curve_above; auto.
Qed.
End Gaussian.
