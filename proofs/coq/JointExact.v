(* One pass of joint caps shares out exactly and consistently, so that the filter is maximal.

   In words: share the rest of (x', x) out under its own caps, then that of (x, x') under the caps that this
   leaves, then that of (x', x) again under the caps that (x, x') leaves.  Nothing is lost on the way, and
   after it neither direction holds more than the other leaves it to lose (`one_pass_good`).  So for two
   databases the joint-capped filter with one pass cannot be improved (`one_pass_maximal`).

   Why the last sharing does no harm to the first: its caps are lower, so that its level is higher; an
   output of (x', x) is either at its cap, which leaves (x, x') all that it holds, or has not lost any.
   With more passes a level may fall again.  After three, in exact arithmetic, with e^eps = 11/10, masses
   (85, 156, 484, 1/1000) against (190, 8403, 413, 11/10000) and 185 and 187 left (all in thousandths),
   (x, x') holds more after the last output than it can lose there, while others have room.  So the
   theorem is about one pass; with three a little is stranded. *)
From Coq Require Import Reals FunctionalExtensionality List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Capped Causal JointCaps JointMaximal.
Import ListNotations.
Open Scope R_scope.

(* ---------- water under lower caps ---------- *)
Section Lower.
Context {Y : Type}.
Variable ys : list Y.
Variable w : Y -> R.
Hypothesis w_nonneg : forall y, 0 <= w y.
Definition within (cap : Y -> R) : Prop := forall y, 0 <= cap y <= w y.

Lemma scaled_min : forall cap t y, within cap -> w y * Rmin t (pos (cap y / w y)) = Rmin (t * w y) (cap y).
Proof.
  intros cap t y Hc. specialize (Hc y). destruct (w_nonneg y) as [Hw|Hw].
  - assert (0 < / w y) by (apply Rinv_0_lt_compat; assumption).
    rewrite pos_of_nonneg by (apply Rmult_le_pos; lra).
    assert (E : cap y = w y * (cap y / w y)) by (field; lra). rewrite E at 2.
    unfold Rmin. destruct (Rle_dec t (cap y / w y)), (Rle_dec (t * w y) (w y * (cap y / w y))); nra.
  - rewrite <- Hw in *. replace (cap y) with 0 by lra. rewrite Rmult_0_l, Rmult_0_r, Rmin_left; lra.
Qed.

Lemma pour_min : forall cap left y, within cap -> pour ys w cap left y = Rmin (water ys w cap left * w y) (cap y).
Proof. intros. apply scaled_min. assumption. Qed.

Lemma pour_exact : forall cap left, within cap -> 0 <= left <= sumf ys cap ->
  sumf ys (pour ys w cap left) = left.
Proof.
  intros cap left Hc Hl. destruct (water_spec ys w cap w_nonneg left) as (_ & H1 & H2).
  rewrite (sumf_ext _ ys (fun y => w y * Rmin 1 (pos (cap y / w y))) cap) in H1, H2
    by (intros y _; rewrite scaled_min by assumption; specialize (Hc y); rewrite Rmult_1_l, Rmin_right; lra).
  destruct (Rlt_le_dec left (sumf ys cap)) as [C|C]; [apply H2; [lra | exact C]|].
  rewrite (sumf_ext _ _ _ cap); [lra|].
  intros y _. rewrite pour_min, (H1 C) by assumption. specialize (Hc y). rewrite Rmult_1_l, Rmin_right; lra.
Qed.

Lemma pour_lower : forall high low left, within high -> within low -> (forall y, low y <= high y) ->
  0 <= left <= sumf ys low -> forall y, In y ys ->
  pour ys w low left y = low y \/ pour ys w high left y <= pour ys w low left y.
Proof.
  intros high low left Hh Hl Hle Hsum y Hy.
  assert (Sl : sumf ys (pour ys w low left) = left) by (apply pour_exact; assumption).
  assert (Sh : sumf ys (pour ys w high left) = left).
  { apply pour_exact; [assumption|]. split; [lra|]. eapply Rle_trans; [apply Hsum|]. apply sumf_le; auto. }
  set (tl := water ys w low left). set (th := water ys w high left).
  destruct (Rle_lt_dec th tl) as [C|C].
  - rewrite !pour_min by assumption. fold tl th. unfold Rmin at 1 3.
    destruct (Rle_dec (tl * w y) (low y)) as [D|D]; [right | left; reflexivity].
    eapply Rle_trans; [apply Rmin_l|]. apply Rmult_le_compat_r; auto.
  - right. destruct (Rle_lt_dec (pour ys w high left y) (pour ys w low left y)) as [D|D]; [assumption|]. exfalso.
    assert (sumf ys (pour ys w low left) < sumf ys (pour ys w high left)); [|lra].
    apply (sumf_lt _ ys _ _ y); [|assumption | assumption]. intros z _. rewrite !pour_min by assumption.
    fold tl th. apply Rmin_glb; [eapply Rle_trans; [apply Rmin_l|] | eapply Rle_trans; [apply Rmin_r | apply Hle]].
    apply Rmult_le_compat_r; [auto | lra].
Qed.
End Lower.

Section OnePass.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Local Notation mech := (mechanism Db outs).
Variables e d : R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d <= 1.
Variables x x' : Db.

Definition left1 (M : mech) (h : hist Req Out) : R := fst (joint_left M e d (/ e) 1 x x' h).
Definition left2 (M : mech) (h : hist Req Out) : R := snd (joint_left M e d (/ e) 1 x x' h).

(* ---------- one round ---------- *)
Section Round.
Variable M : mech.
Variables (h : hist Req Out) (r : Req).
Local Notation own := (own_room M e h r).
Local Notation cap := (joint_room M e (/ e) h r).
Local Notation mass := (mass_after M h r).

Lemma inv_e : 0 < / e <= 1.
Proof. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

Lemma own_within : forall z z', within (mass z) (own z z').
Proof.
  intros z z' y. unfold own_room, mass_after. pose proof (excess_nonneg M e z z' ((r, Some y) :: h)).
  pose proof (excess_le_like M e z z' ((r, Some y) :: h) ltac:(lra)). lra.
Qed.

(* what one direction can lose bounds what the other can *)
Lemma own_above : forall z z' y, own z' z y * / e <= own z z' y.
Proof.
  intros z z' y. unfold own_room. pose proof (cap_term M e He z z' ((r, Some y) :: h)) as H.
  unfold Rdiv in H. lra.
Qed.

Lemma cap_within : forall z z' s, (forall y, 0 <= s y <= own z' z y) ->
  within (mass z) (cap z z' s) /\ forall y, cap z z' s y <= own z z' y.
Proof.
  intros z z' s Hs. pose proof inv_e as I.
  assert (Le : forall y, cap z z' s y <= own z z' y) by (intros y; unfold joint_room; specialize (Hs y); nra).
  split; [|exact Le]. intros y. pose proof (own_within z z' y). specialize (Le y). split; [|lra].
  pose proof (own_above z z' y). unfold joint_room. specialize (Hs y). nra.
Qed.

Lemma own_sum : forall z z', sumf (outs h r) (own z z') = like M z h - excess M e z z' h - ucharge M e z z' h r.
Proof. intros. unfold own_room, ucharge. rewrite sumf_minus, like_outs. ring. Qed.

Lemma cap_sum : forall z z' s, sumf (outs h r) (cap z z' s) =
  like M z h - excess M e z z' h - ucharge M e z z' h r
  - (like M z' h - excess M e z' z h - ucharge M e z' z h r - sumf (outs h r) s) * / e.
Proof. intros. unfold joint_room. rewrite sumf_minus, sumf_scal_r, sumf_minus, !own_sum. ring. Qed.

(* a cap of a cap takes nothing back *)
Lemma cap_cap : forall z z' s y, s y <= own z z' y -> s y <= cap z z' (cap z' z s) y.
Proof.
  intros z z' s y H. unfold joint_room. pose proof inv_e as I.
  assert (0 <= (own z z' y - s y) * (1 - / e * / e)) by (apply Rmult_le_pos; [lra | nra]). nra.
Qed.

Variables r1 r2 : R.                                   (* before the round *)
Hypothesis fit1 : ucharge M e x x' h r <= r1.
Hypothesis fit2 : ucharge M e x' x h r <= r2.
Hypothesis room2 : r2 <= like M x' h - excess M e x' x h.
Hypothesis con1 : r1 <= like M x h - excess M e x x' h - (like M x' h - excess M e x' x h - r2) / e.
Hypothesis con2 : r2 <= like M x' h - excess M e x' x h - (like M x h - excess M e x x' h - r1) / e.
Local Notation rest1 := (r1 - ucharge M e x x' h r).
Local Notation rest2 := (r2 - ucharge M e x' x h r).
Local Notation s := (shared M e (/ e) h r 1 x x' rest1 rest2).

Lemma round_good :
  (sumf (outs h r) (fst s) = rest1 /\ sumf (outs h r) (snd s) = rest2) /\
  forall y, In y (outs h r) -> 0 <= fst s y <= own x x' y /\ 0 <= snd s y <= own x' x y /\
    fst s y <= cap x x' (snd s) y /\ snd s y <= cap x' x (fst s) y.
Proof.
  assert (W : forall z y, 0 <= mass z y) by (intros; apply like_nonneg). unfold Rdiv in *.
  cbn [shared fst snd]. set (s0 := pour (outs h r) (mass x') (own x' x) rest2).
  set (s1 := pour (outs h r) (mass x) (cap x x' s0) rest1).
  set (s2 := pour (outs h r) (mass x') (cap x' x s1) rest2).
  pose proof (own_within x' x) as W0.
  assert (E0 : sumf (outs h r) s0 = rest2) by (apply pour_exact; auto; rewrite own_sum; lra).
  assert (B0 : forall y, 0 <= s0 y <= own x' x y).
  { intros y. split; [apply pour_nonneg; auto|]. unfold s0. rewrite pour_min by auto. apply Rmin_r. }
  destruct (cap_within x x' s0 B0) as [W1 L1].
  assert (E1 : sumf (outs h r) s1 = rest1) by (apply pour_exact; auto; rewrite cap_sum, E0; lra).
  assert (C1 : forall y, s1 y <= cap x x' s0 y) by (intros y; unfold s1; rewrite pour_min by auto; apply Rmin_r).
  assert (B1 : forall y, 0 <= s1 y <= own x x' y).
  { intros y. split; [apply pour_nonneg; auto|]. eapply Rle_trans; [apply C1 | apply L1]. }
  destruct (cap_within x' x s1 B1) as [W2 L2].
  assert (S2 : 0 <= rest2 <= sumf (outs h r) (cap x' x s1)) by (rewrite cap_sum, E1; lra).
  assert (E2 : sumf (outs h r) s2 = rest2) by (apply pour_exact; auto).
  assert (C2 : forall y, s2 y <= cap x' x s1 y) by (intros y; unfold s2; rewrite pour_min by auto; apply Rmin_r).
  split; [auto|]. intros y Hy. split; [apply B1|]. split; [split; [apply pour_nonneg; auto|]|split; [|apply C2]].
  { eapply Rle_trans; [apply C2 | apply L2]. }
  destruct (pour_lower (outs h r) (mass x') (W x') (own x' x) (cap x' x s1) rest2 W0 W2 L2 S2 y Hy) as [E|G];
    fold s2 in E || fold s2 s0 in G.
  - unfold joint_room at 1. rewrite E. apply cap_cap. apply B1.
  - eapply Rle_trans; [apply C1|]. unfold joint_room. pose proof inv_e. nra.
Qed.
End Round.

(* ---------- whole transcripts ---------- *)
Lemma one_pass_kept : forall (M : mech) h, both_funded outs e x x' left1 left2 M h ->
  0 <= left1 M h <= like M x h - excess M e x x' h /\ 0 <= left2 M h <= like M x' h - excess M e x' x h /\
  left1 M h <= room M e x x' (left2 M) h /\ left2 M h <= room M e x' x (left1 M) h.
Proof.
  intros M h. induction h as [|[r [y|]] h IH]; intros Hf.
  - unfold left1, left2, room. rewrite !excess_nil by assumption. simpl.
    pose proof inv_e. unfold Rdiv. repeat split; try lra; nra.
  - destruct Hf as (Hf & (F1 & F2) & Hy). destruct (IH Hf) as ((A1 & A2) & (B1 & B2) & C1 & C2).
    unfold room in C1, C2.
    destruct (round_good M h r (left1 M h) (left2 M h) F1 F2 B2 C1 C2) as [_ G]. exact (G y Hy).
  - destruct (IH Hf) as (A & B & C1 & C2). unfold left1, left2, room in *. cbn [joint_left].
    rewrite !excess_unreleased. simpl like. rewrite !Rmult_1_r. auto.
Qed.

Lemma agree_joint : forall (M M' : mech) k, agree_below M M' k ->
  joint_left M e d (/ e) 1 x x' k = joint_left M' e d (/ e) 1 x x' k.
Proof.
  intros M M' k. induction k as [|[r [y|]] k IH]; intros H; [reflexivity | |]; destruct H as [H1 H2];
  cbn [joint_left]; [|auto]. rewrite IH, !(agree_ucharge e _ _ M M') by assumption.
  assert (Am : forall z, mass_after M k r z = mass_after M' k r z)
    by (intros z; apply functional_extensionality; intros c; apply agree_like; simpl; auto).
  assert (Ao : forall z z', own_room M e k r z z' = own_room M' e k r z z').
  { intros z z'. apply functional_extensionality; intros c. unfold own_room.
    rewrite (agree_like M M'), (agree_excess e z z' M M') by (simpl; auto). reflexivity. }
  assert (Aj : forall z z' s, joint_room M e (/ e) k r z z' s = joint_room M' e (/ e) k r z z' s)
    by (intros; apply functional_extensionality; intros c; unfold joint_room; rewrite !Ao; reflexivity).
  assert (As : forall a b, shared M e (/ e) k r 1 x x' a b = shared M' e (/ e) k r 1 x x' a b)
    by (intros; cbn [shared fst snd]; rewrite !Am, !Aj, !Ao; reflexivity).
  rewrite As. reflexivity.
Qed.

Theorem one_pass_good : good_shares outs e d x x' left1 left2.
Proof.
  split; [intros; split; reflexivity|]. split; [intros; split; reflexivity|]. split; [|split].
  - intros M M' k H. unfold left1, left2. rewrite (agree_joint M M' k H). auto.
  - intros M h r Hf [F1 F2]. destruct (one_pass_kept M h Hf) as ((A1 & A2) & (B1 & B2) & C1 & C2).
    unfold room in C1, C2.
    destruct (round_good M h r (left1 M h) (left2 M h) F1 F2 B2 C1 C2) as [[S1 S2] _].
    split.
    + change (fun y => left1 M ((r, Some y) :: h)) with (fst (shared M e (/ e) h r 1 x x'
        (left1 M h - ucharge M e x x' h r) (left2 M h - ucharge M e x' x h r))). lra.
    + change (fun y => left2 M ((r, Some y) :: h)) with (snd (shared M e (/ e) h r 1 x x'
        (left1 M h - ucharge M e x x' h r) (left2 M h - ucharge M e x' x h r))). lra.
  - intros M h. apply one_pass_kept.
Qed.
End OnePass.

(* ---------- the filter with one pass, and that nothing private outruns it ---------- *)
Section Maximal.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Local Notation mech := (mechanism Db outs).
Variables e d : R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d <= 1.
Variables x x' : Db.
Local Notation fits M := (joint_fits M [(x, x')] e d (/ e) 1).

Lemma fits_both : forall (M : mech) h r,
  fits M h r <-> both_fit outs e x x' (left1 e d x x') (left2 e d x x') M h r.
Proof.
  intros M h r. split; [intros H; apply (H x x'); left; reflexivity|].
  intros H z z' [E|[]]. inversion E; subst. exact H.
Qed.

Definition one_pass (M : mech) : filter Req Out := fun h r =>
  if Rleb (ucharge M e x x' h r) (left1 e d x x' M h) && Rleb (ucharge M e x' x h r) (left2 e d x x' M h)
  then Continue else Refuse.

(* it is one of the filters that the theorem speaks of *)
Theorem one_pass_itself : causal one_pass /\
  (forall M, private menu M (one_pass M) e d x x' /\ private menu M (one_pass M) e d x' x) /\
  (forall M h r, fits M h r -> one_pass M h r = Continue).
Proof.
  assert (Spec : forall M h r, runs (one_pass M h r) = true -> fits M h r).
  { intros M h r H. unfold one_pass in H. apply fits_both.
    destruct (Rleb (ucharge M e x x' h r) _) eqn:E1; [|discriminate].
    destruct (Rleb (ucharge M e x' x h r) _) eqn:E2; [|discriminate]. apply Rleb_true in E1, E2. split; assumption. }
  split; [|split].
  - intros M M' h r H1 H2. destruct (one_pass_good e d He Hd x x' (outs := outs)) as (_ & _ & Gc & _).
    destruct (Gc M M' h H1) as [E1 E2]. unfold one_pass.
    rewrite E1, E2, (agree_ucharge e x x' M M'), (agree_ucharge e x' x M M') by assumption. reflexivity.
  - intros M. apply (joint_private menu M [(x, x')] e d (/ e) 1); [assumption | lra | | left; reflexivity].
    intros h r _ _ Hr. apply Spec. exact Hr.
  - intros M h r H. destruct (proj1 (fits_both M h r) H) as [H1 H2]. unfold one_pass.
    rewrite (proj2 (Rleb_true _ _) H1), (proj2 (Rleb_true _ _) H2). reflexivity.
Qed.

Theorem one_pass_maximal :
  (forall a b : Db, {a = b} + {a <> b}) -> (forall a b : Req, {a = b} + {a <> b}) ->
  (forall a b : Out, {a = b} + {a <> b}) -> (forall h, NoDup (menu h)) -> (forall h r, NoDup (outs h r)) ->
  forall some_request, (forall h, In (some_request h) (menu h)) ->
  forall shown other blank, shown <> other /\ shown <> blank /\ other <> blank ->
  (forall h r, In shown (outs h r) /\ In other (outs h r) /\ In blank (outs h r)) -> x <> x' ->
  forall F : mech -> filter Req Out, causal F ->
  (forall M, private menu M (F M) e d x x' /\ private menu M (F M) e d x' x) ->
  (forall M h r, reached menu outs (F M) h -> In r (menu h) -> fits M h r -> F M h r = Continue) ->
  forall M h r, reached menu outs (F M) h -> In r (menu h) -> runs (F M h r) = true -> fits M h r.
Proof.
  intros Dq Rq Oq Nm No sr Hsr s o b Hd3 Hav Hx F Fc Fp Fg M h r Hr Hin Hrun. apply fits_both.
  apply (joint_maximal menu outs Dq Rq Oq Nm No sr Hsr s o b Hd3 Hav e d He x x' Hx _ _ F
    (one_pass_good e d He Hd x x') Fc Fp); try assumption.
  intros N k q Hk Hq Hf. apply Fg; auto. apply fits_both. exact Hf.
Qed.
End Maximal.
