(* Both directions of a pair together: what one direction may still lose caps the other.

   In words: in masses, whatever filter and adversary go on after a transcript h, if direction (x', x)
   loses H_2 in all, then direction (x, x') loses at most P_x(h) - (P_x'(h) - H_2) e^-eps (`joint_cap`).
   So more need not be kept for (x, x') after h, and can be shared out among the other outputs.

   `joint_private`: keep one budget per direction, in masses, d at the start; run a round if the charge of
   each direction fits its budget; share the rest out to the outputs like water, none above the cap
   that the other direction's share leaves it, in any number of passes.  Both directions are (eps, d)-DP
   for every adversary and horizon, also if another number stands in the caps for e^-eps (a rational just
   below it, say).  With no pass it is the capped compensator's sharing.

   `room_pays`: the cap itself pays for one direction wherever a budget pays for the other.
   Stranded.v: for every eps > 0 and 0 < delta < 1 the capped compensator is not maximal for both
   directions.  JointExact.v: for two databases this filter is, with one pass.  It does not run all that
   the capped compensator runs: with one pass it ran less in one of 10,000 random games. *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Capped Potential.
Import ListNotations.
Open Scope R_scope.

Section Caps.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.
Hypothesis He : 1 <= e.

(* term by term: (p - e q)+ <= p - (q - (q - e p)+) / e *)
Lemma cap_term : forall x x' h,
  excess M e x x' h <= like M x h - (like M x' h - excess M e x' x h) / e.
Proof.
  intros x x' h. pose proof (like_nonneg M x h) as Hp. pose proof (like_nonneg M x' h) as Hq.
  unfold excess. set (p := like M x h) in *. set (q := like M x' h) in *.
  apply (Rmult_le_reg_l e); [lra|].
  replace (e * (p - (q - pos (q - e * p)) / e)) with (e * p - (q - pos (q - e * p))) by (field; lra).
  assert (p <= e * p) by nra. assert (q <= e * q) by nra.
  unfold pos, Rmax. destruct (Rle_dec 0 (p - e * q)), (Rle_dec 0 (q - e * p)); nra.
Qed.

Theorem joint_cap : forall {menu : hist Req Out -> list Req} (A : adversary menu) F x x' n h,
  leaves outs A F n h (excess M e x x') <=
  like M x h - (like M x' h - leaves outs A F n h (excess M e x' x)) / e.
Proof.
  intros menu A F x x' n h.
  assert (L : forall z, leaves outs A F n h (like M z) = like M z h).
  { intros z. rewrite (leaves_ext outs A F n h _ (fun k => like M z k * 1)) by (intros; ring).
    rewrite leaves_law, law_const. ring. }
  rewrite <- (L x), <- (L x') at 1.
  apply Rle_trans with (leaves outs A F n h (fun k => like M x k - / e * (like M x' k - 1 * excess M e x' x k))).
  - apply leaves_le; intros k. pose proof (cap_term x x' k). unfold Rdiv in H. lra.
  - rewrite leaves_minus_scal, leaves_minus_scal. right. unfold Rdiv. ring.
Qed.

(* what direction (x, x') can still lose while (x', x) keeps within U *)
Definition room (x x' : Db) (U : hist Req Out -> R) (h : hist Req Out) : R :=
  like M x h - excess M e x x' h - (like M x' h - excess M e x' x h - U h) / e.

Lemma room_nonneg : forall x x' U h, 0 <= U h -> 0 <= room x x' U h.
Proof.
  intros x x' U h HU. unfold room. pose proof (cap_term x x' h).
  assert (0 <= U h / e) by (apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; lra]).
  unfold Rdiv in *. lra.
Qed.

(* if U pays for a round of (x', x), the room pays for the same round of (x, x') *)
Lemma room_pays : forall x x' U h r,
  ucharge M e x' x h r + sumf (outs h r) (fun y => U ((r, Some y) :: h)) <= U h ->
  ucharge M e x x' h r + sumf (outs h r) (fun y => room x x' U ((r, Some y) :: h)) <= room x x' U h.
Proof.
  intros x x' U h r H. unfold room, ucharge in *. unfold Rdiv.
  rewrite sumf_minus, sumf_minus, sumf_scal_r, sumf_minus, sumf_minus, !like_outs.
  assert (Hi : 0 < / e) by (apply Rinv_0_lt_compat; lra).
  set (s := sumf (outs h r) (fun y => U ((r, Some y) :: h))) in *.
  set (s2 := sumf (outs h r) (fun y => excess M e x' x ((r, Some y) :: h))) in *. nra.
Qed.
End Caps.

(* ---------- sharing out like water ---------- *)
Section Water.
Context {Y : Type}.
Variable ys : list Y.

(* `left` in proportion to the weights, none above its cap; pos changes nothing for a weight, and makes
   the level a function of the weights alone, not of proofs about them *)
Definition water (w cap : Y -> R) (left : R) : R :=
  proj1_sig (level_exists ys (fun y => pos (w y)) (fun y => pos (cap y / w y))
    (fun y => proj1 (pos_ge _)) left).
Definition pour (w cap : Y -> R) (left : R) (y : Y) : R :=
  w y * Rmin (water w cap left) (pos (cap y / w y)).

Variables w cap : Y -> R.
Hypothesis w_nonneg : forall y, 0 <= w y.
Local Notation full := (sumf ys (fun y => w y * Rmin 1 (pos (cap y / w y)))).

Lemma water_spec : forall left, 0 <= water w cap left <= 1 /\
  (full <= left -> water w cap left = 1) /\
  (0 <= left -> left < full -> sumf ys (pour w cap left) = left).
Proof.
  intros left. pose proof (proj2_sig (level_exists ys (fun y => pos (w y)) (fun y => pos (cap y / w y))
    (fun y => proj1 (pos_ge _)) left)) as S. fold (water w cap left) in S.
  assert (E : forall t, poured ys (fun y => pos (w y)) (fun y => pos (cap y / w y)) t =
    sumf ys (fun y => w y * Rmin t (pos (cap y / w y)))).
  { intros t. apply sumf_ext; intros y _. rewrite (pos_of_nonneg (w y)) by auto. reflexivity. }
  rewrite !E in S. exact S.
Qed.

Lemma pour_nonneg : forall left y, 0 <= pour w cap left y.
Proof.
  intros. unfold pour. destruct (water_spec left) as (Ht & _).
  apply Rmult_le_pos; [auto|]. apply Rmin_glb; [apply Ht | apply pos_ge].
Qed.

Lemma pour_fits : forall left, 0 <= left -> sumf ys (pour w cap left) <= left.
Proof.
  intros left H0. destruct (water_spec left) as (_ & H1 & H2). destruct (Rlt_le_dec left full) as [C|C].
  - right. exact (H2 H0 C).
  - unfold pour. rewrite (H1 C). exact C.
Qed.
End Water.

(* ---------- the filter ---------- *)
Section Joint.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).                       (* each pair once; both directions are kept *)
Variables e d : R.
Variable shrink : R.                                   (* e^-eps, or what stands for it in the caps *)
Variable passes : nat.

Section Round.
Variables (h : hist Req Out) (r : Req).
Definition mass_after (x : Db) (y : Out) : R := like M x ((r, Some y) :: h).
Local Notation handed x := (pour (outs h r) (mass_after x)).

(* what (x, x') can still lose by itself, and while (x', x) holds s *)
Definition own_room (x x' : Db) (y : Out) : R :=
  like M x ((r, Some y) :: h) - excess M e x x' ((r, Some y) :: h).
Definition joint_room (x x' : Db) (s : Out -> R) (y : Out) : R :=
  own_room x x' y - (own_room x' x y - s y) * shrink.

Fixpoint shared (n : nat) (x x' : Db) (rest1 rest2 : R) : (Out -> R) * (Out -> R) :=
  match n with
  | O => (handed x (own_room x x') rest1, handed x' (own_room x' x) rest2)
  | S m => let s1 := handed x (joint_room x x' (snd (shared m x x' rest1 rest2))) rest1 in
      (s1, handed x' (joint_room x' x s1) rest2)
  end.

Lemma shared_fits : forall n x x' rest1 rest2,
  (forall y, 0 <= fst (shared n x x' rest1 rest2) y /\ 0 <= snd (shared n x x' rest1 rest2) y) /\
  (0 <= rest1 -> sumf (outs h r) (fst (shared n x x' rest1 rest2)) <= rest1) /\
  (0 <= rest2 -> sumf (outs h r) (snd (shared n x x' rest1 rest2)) <= rest2).
Proof.
  assert (W : forall x y, 0 <= mass_after x y) by (intros; apply like_nonneg).
  intros [|n] x x' rest1 rest2; cbn [shared fst snd]; auto using pour_nonneg, pour_fits.
Qed.
End Round.

(* what is left for (x, x') and for (x', x), in masses *)
Fixpoint joint_left (x x' : Db) (h : hist Req Out) : R * R :=
  match h with
  | [] => (d, d)
  | (r, Some y) :: k =>
      let s := shared k r passes x x' (fst (joint_left x x' k) - ucharge M e x x' k r)
        (snd (joint_left x x' k) - ucharge M e x' x k r) in
      (fst s y, snd s y)
  | (_, None) :: k => joint_left x x' k
  end.

Definition joint_fits (h : hist Req Out) (r : Req) : Prop := forall x x', In (x, x') pairs ->
  ucharge M e x x' h r <= fst (joint_left x x' h) /\ ucharge M e x' x h r <= snd (joint_left x x' h).

Theorem joint_private : forall F, 1 <= e -> 0 <= d -> respects menu outs F joint_fits ->
  forall x x', In (x, x') pairs -> private menu M F e d x x' /\ private menu M F e d x' x.
Proof.
  intros F He Hd HF x x' Hp.
  assert (Pos : forall h, 0 <= fst (joint_left x x' h) /\ 0 <= snd (joint_left x x' h)).
  { induction h as [|[r [y|]] h IH]; cbn [joint_left fst snd]; [lra | |assumption]. apply shared_fits. }
  split;
  [apply (budget_sound F M e x x' d (fun h => fst (joint_left x x' h)))
  | apply (budget_sound F M e x' x d (fun h => snd (joint_left x x' h)))]; try assumption;
  (split; [simpl; lra|]; split; [intros; apply Pos|]; intros h r Hr Hin; unfold toll, replies;
   destruct (Pos h) as [P1 P2]; destruct (runs (F h r)) eqn:Er;
   [destruct (HF h r Hr Hin Er x x' Hp) as [F1 F2]; rewrite sumf_map;
    destruct (goes_on (F h r)); [|rewrite sumf_zero; lra];
    destruct (shared_fits h r passes x x' (fst (joint_left x x' h) - ucharge M e x x' h r)
      (snd (joint_left x x' h) - ucharge M e x' x h r)) as (_ & S1 & S2);
    specialize (S1 ltac:(lra)); specialize (S2 ltac:(lra)); cbn [joint_left fst snd]
   | rewrite sumf_cons; simpl; destruct (goes_on (F h r)); lra]).
  - change (fun y => fst (shared h r passes x x' (fst (joint_left x x' h) - ucharge M e x x' h r)
      (snd (joint_left x x' h) - ucharge M e x' x h r)) y) with (fst (shared h r passes x x'
      (fst (joint_left x x' h) - ucharge M e x x' h r) (snd (joint_left x x' h) - ucharge M e x' x h r))). lra.
  - change (fun y => snd (shared h r passes x x' (fst (joint_left x x' h) - ucharge M e x x' h r)
      (snd (joint_left x x' h) - ucharge M e x' x h r)) y) with (snd (shared h r passes x x'
      (fst (joint_left x x' h) - ucharge M e x x' h r) (snd (joint_left x x' h) - ucharge M e x' x h r))). lra.
Qed.
End Joint.

(* with e^-eps itself the cap is the bound of the lemma *)
Lemma joint_room_cap : forall {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}
    (M : mechanism Db outs) e h r x x' s y,
  joint_room M e (/ e) h r x x' s y = room M e x x' (fun _ => s y) ((r, Some y) :: h).
Proof. reflexivity. Qed.
