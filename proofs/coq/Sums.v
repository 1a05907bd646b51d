(* Finite sums, averages and positive parts: all the analysis that the other files need.

   In words: a probability is a finite sum, an expectation is a weighted finite sum, and the
   overshoot of one number above another is the positive part of their difference. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
Import ListNotations.
Open Scope R_scope.

(* ---------- sums over a list ---------- *)
Definition sumf {A : Type} (l : list A) (f : A -> R) : R :=
  fold_right (fun a s => f a + s) 0 l.

Lemma sumf_cons : forall A (a : A) l f, sumf (a :: l) f = f a + sumf l f.
Proof. reflexivity. Qed.

Lemma sumf_le : forall A (l : list A) f g,
  (forall a, In a l -> f a <= g a) -> sumf l f <= sumf l g.
Proof.
  induction l as [|a l IH]; intros f g H; [simpl; lra|]. rewrite !sumf_cons.
  pose proof (H a (or_introl eq_refl)).
  pose proof (IH f g (fun b Hb => H b (or_intror Hb))). lra.
Qed.

Lemma sumf_ext : forall A (l : list A) f g,
  (forall a, In a l -> f a = g a) -> sumf l f = sumf l g.
Proof.
  intros A l f g H. apply Rle_antisym; apply sumf_le; intros a Ha; rewrite (H a Ha); lra.
Qed.

Lemma sumf_scal : forall A (l : list A) c f, sumf l (fun a => c * f a) = c * sumf l f.
Proof. induction l as [|a l IH]; intros; [simpl; ring|]. rewrite !sumf_cons, IH. ring. Qed.

Lemma sumf_scal_r : forall A (l : list A) c f, sumf l (fun a => f a * c) = sumf l f * c.
Proof. induction l as [|a l IH]; intros; [simpl; ring|]. rewrite !sumf_cons, IH. ring. Qed.

Lemma sumf_plus : forall A (l : list A) f g,
  sumf l (fun a => f a + g a) = sumf l f + sumf l g.
Proof. induction l as [|a l IH]; intros; [simpl; ring|]. rewrite !sumf_cons, IH. ring. Qed.

Lemma sumf_minus : forall A (l : list A) f g,
  sumf l (fun a => f a - g a) = sumf l f - sumf l g.
Proof. induction l as [|a l IH]; intros; [simpl; ring|]. rewrite !sumf_cons, IH. ring. Qed.

Lemma sumf_const : forall A (l : list A) c, sumf l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|a l IH]; intros c; [simpl; ring|].
  rewrite sumf_cons, IH. change (length (a :: l)) with (S (length l)).
  rewrite S_INR; ring.
Qed.

Lemma sumf_zero : forall A (l : list A), sumf l (fun _ => 0) = 0.
Proof. intros; rewrite sumf_const; ring. Qed.

Lemma sumf_nonneg : forall A (l : list A) f, (forall a, In a l -> 0 <= f a) -> 0 <= sumf l f.
Proof. intros A l f H. rewrite <- (sumf_zero A l). apply sumf_le; assumption. Qed.

Lemma sumf_map : forall A B (k : A -> B) l f, sumf (map k l) f = sumf l (fun a => f (k a)).
Proof.
  induction l as [|a l IH]; intros f; [reflexivity|]. simpl map. rewrite !sumf_cons, IH. ring.
Qed.

Lemma sumf_swap : forall A B (l : list A) (m : list B) (f : A -> B -> R),
  sumf l (fun a => sumf m (fun b => f a b)) = sumf m (fun b => sumf l (fun a => f a b)).
Proof.
  induction l as [|a l IH]; intros m f; [symmetry; apply sumf_zero|].
  rewrite sumf_cons, IH, <- sumf_plus. apply sumf_ext; intros; rewrite sumf_cons; reflexivity.
Qed.

Lemma sumf_member : forall A (l : list A) f a,
  (forall b, In b l -> 0 <= f b) -> In a l -> f a <= sumf l f.
Proof.
  induction l as [|b l IH]; intros f a Hf Ha; [destruct Ha|].
  rewrite sumf_cons. destruct Ha as [->|Ha].
  - assert (0 <= sumf l f) by (apply sumf_nonneg; intros; apply Hf; right; assumption). lra.
  - assert (0 <= f b) by (apply Hf; left; reflexivity).
    assert (f a <= sumf l f) by (apply IH; [intros; apply Hf; right|]; assumption). lra.
Qed.

Lemma sumf_lt : forall A (l : list A) f g a,
  (forall b, In b l -> f b <= g b) -> In a l -> f a < g a -> sumf l f < sumf l g.
Proof.
  intros A l f g a H Ha Hlt.
  assert (Hd : g a - f a <= sumf l (fun b => g b - f b)).
  { apply (sumf_member _ l (fun b => g b - f b)); [|assumption].
    intros b Hb. specialize (H b Hb). lra. }
  rewrite sumf_minus in Hd. lra.
Qed.

(* ---------- averages ---------- *)
Lemma avg_le : forall A (l : list A) w v c,
  (forall a, In a l -> 0 <= w a) -> sumf l w = 1 ->
  (forall a, In a l -> v a <= c) -> sumf l (fun a => w a * v a) <= c.
Proof.
  intros A l w v c Hw H1 Hv.
  replace c with (sumf l (fun a => w a * c)) by (rewrite sumf_scal_r, H1; ring).
  apply sumf_le; intros a Ha. apply Rmult_le_compat_l; auto.
Qed.

(* what is not spent on the list is spent on one more value, also at most c *)
Lemma avg_rest_le : forall A (l : list A) w v v0 c,
  (forall a, In a l -> 0 <= w a) -> sumf l w <= 1 -> v0 <= c ->
  (forall a, In a l -> v a <= c) -> (1 - sumf l w) * v0 + sumf l (fun a => w a * v a) <= c.
Proof.
  intros A l w v v0 c Hw H1 H0 Hv.
  assert (sumf l (fun a => w a * v a) <= sumf l (fun a => w a * c))
    by (apply sumf_le; intros a Ha; apply Rmult_le_compat_l; auto).
  rewrite sumf_scal_r in H. nra.
Qed.

(* ---------- comparisons as booleans, indicators ---------- *)
Definition ind (b : bool) : R := if b then 1 else 0.
Lemma ind_range : forall b, 0 <= ind b <= 1.
Proof. destruct b; simpl; lra. Qed.

Definition Rltb (a b : R) : bool := if Rlt_dec a b then true else false.
Definition Rleb (a b : R) : bool := if Rle_dec a b then true else false.
Lemma Rltb_true : forall a b, Rltb a b = true <-> a < b.
Proof. intros; unfold Rltb; destruct (Rlt_dec a b); split; intros; auto; discriminate || lra. Qed.
Lemma Rltb_false : forall a b, Rltb a b = false <-> b <= a.
Proof. intros; unfold Rltb; destruct (Rlt_dec a b); split; intros; auto; try discriminate; lra. Qed.
Lemma Rleb_true : forall a b, Rleb a b = true <-> a <= b.
Proof. intros; unfold Rleb; destruct (Rle_dec a b); split; intros; auto; discriminate || lra. Qed.
Lemma Rleb_false : forall a b, Rleb a b = false <-> b < a.
Proof. intros; unfold Rleb; destruct (Rle_dec a b); split; intros; auto; try discriminate; lra. Qed.

(* ---------- positive part ---------- *)
Definition pos (a : R) : R := Rmax 0 a.

Lemma pos_ge : forall a, 0 <= pos a /\ a <= pos a.
Proof. intros a; unfold pos; split; [apply Rmax_l | apply Rmax_r]. Qed.
Lemma pos_le : forall a b, 0 <= b -> a <= b -> pos a <= b.
Proof. intros; unfold pos; apply Rmax_lub; assumption. Qed.
Lemma pos_of_nonneg : forall a, 0 <= a -> pos a = a.
Proof. intros; unfold pos; apply Rmax_right; assumption. Qed.
Lemma pos_of_nonpos : forall a, a <= 0 -> pos a = 0.
Proof. intros; unfold pos; apply Rmax_left; assumption. Qed.
Lemma pos_sumf : forall A (l : list A) f, pos (sumf l f) <= sumf l (fun a => pos (f a)).
Proof.
  intros A l f. apply pos_le.
  - apply sumf_nonneg; intros; apply pos_ge.
  - apply sumf_le; intros; apply pos_ge.
Qed.

(* ---------- point masses and maximisers ---------- *)
Section Point.
Context {T : Type}.
Variable T_eq : forall a b : T, {a = b} + {a <> b}.
Definition point (a b : T) : R := if T_eq b a then 1 else 0.

Lemma point_nonneg : forall a b, 0 <= point a b.
Proof. intros; unfold point; destruct (T_eq b a); lra. Qed.

Lemma sumf_point : forall l a f, NoDup l -> In a l -> sumf l (fun b => point a b * f b) = f a.
Proof.
  induction l as [|b l IH]; intros a f Hd Ha; [destruct Ha|].
  rewrite sumf_cons. inversion Hd as [|? ? Hn Hd']; subst.
  unfold point at 1. destruct (T_eq b a) as [->|Hne].
  - rewrite (sumf_ext _ l _ (fun _ => 0)); [rewrite sumf_zero; ring|].
    intros c Hc. unfold point. destruct (T_eq c a) as [->|]; [contradiction | ring].
  - destruct Ha as [->|Ha]; [contradiction|]. rewrite IH by assumption. ring.
Qed.

Lemma sumf_point1 : forall l a, NoDup l -> In a l -> sumf l (point a) = 1.
Proof.
  intros l a Hd Ha. rewrite (sumf_ext _ _ _ (fun b => point a b * 1)) by (intros; ring).
  apply (sumf_point l a (fun _ => 1)); assumption.
Qed.
End Point.

Section Argmax.
Context {T : Type}.
Fixpoint argmax (f : T -> R) (a : T) (l : list T) : T :=
  match l with
  | [] => a
  | b :: l' => argmax f (if Rle_dec (f a) (f b) then b else a) l'
  end.

Lemma argmax_spec : forall f l a,
  In (argmax f a l) (a :: l) /\ f a <= f (argmax f a l) /\
  (forall b, In b l -> f b <= f (argmax f a l)).
Proof.
  induction l as [|b l IH]; intros a; cbn [argmax].
  - split; [left; reflexivity|]. split; [lra | intros b []].
  - specialize (IH (if Rle_dec (f a) (f b) then b else a)). destruct IH as (H1 & H2 & H3).
    destruct (Rle_dec (f a) (f b)) as [Hle|Hgt].
    + split; [right; exact H1|]. split; [lra|]. intros c [<-|Hc]; [assumption | auto].
    + split; [destruct H1 as [H1|H1]; [left | right; right]; exact H1|].
      split; [assumption|]. intros c [<-|Hc]; [lra | auto].
Qed.
End Argmax.

(* ---------- powers of 1 - t ---------- *)
Lemma bernoulli : forall t n, 0 <= t <= 1 ->
  1 - INR n * t <= (1 - t) ^ n /\ 0 <= (1 - t) ^ n <= 1.
Proof.
  intros t n Ht. induction n as [|n [IH1 IH2]]; [simpl; lra|].
  rewrite S_INR. simpl pow. pose proof (pos_INR n). split; nra.
Qed.

Lemma pow_antitone : forall t a b, 0 <= t <= 1 -> (a <= b)%nat -> (1 - t) ^ b <= (1 - t) ^ a.
Proof.
  intros t a b Ht Hab. induction Hab as [|b Hab IH]; [lra|].
  simpl. pose proof (bernoulli t b Ht). nra.
Qed.
