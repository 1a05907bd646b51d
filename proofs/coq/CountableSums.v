(* Series of reals: the few facts about countable sums that the files on countable outputs need. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma ex_series_below : forall a b : nat -> R, (forall n, 0 <= a n <= b n) -> ex_series b ->
  ex_series a.
Proof.
  intros a b H. apply (ex_series_le (V := R_CompleteNormedModule)). intros n.
  unfold norm; simpl; unfold abs; simpl. rewrite Rabs_pos_eq; apply H.
Qed.

Lemma series_zero : Series (fun _ => 0) = 0.
Proof.
  rewrite <- (Series_ext (fun _ => 0 * 0)) by (intros; ring).
  rewrite (Series_scal_l 0 (fun _ => 0)). ring.
Qed.

Lemma series_le : forall a b : nat -> R, ex_series a -> ex_series b -> (forall n, a n <= b n) ->
  Series a <= Series b.
Proof.
  intros a b Ha Hb H. assert (Hd : Series (fun _ => 0) <= Series (fun n => b n - a n)).
  { apply Series_le; [intros n; specialize (H n); lra | exact (ex_series_minus b a Hb Ha)]. }
  rewrite series_zero, Series_minus in Hd by assumption. lra.
Qed.

Lemma series_nonneg : forall a : nat -> R, ex_series a -> (forall n, 0 <= a n) -> 0 <= Series a.
Proof.
  intros a Ha H. rewrite <- series_zero. apply series_le; auto.
  apply (ex_series_below _ a); [intros n; specialize (H n); lra | assumption].
Qed.

Lemma is_series_same : forall (a b : nat -> R) l, (forall n, a n = b n) -> is_series a l ->
  is_series b l.
Proof. intros a b l H. apply is_series_ext, H. Qed.
Lemma is_series_scaled : forall c l (a : nat -> R), is_series a l ->
  is_series (fun n => c * a n) (c * l).
Proof. intros c l a H. exact (is_series_scal_l c a l H). Qed.
Lemma ex_series_scaled : forall c (a : nat -> R), ex_series a -> ex_series (fun n => c * a n).
Proof. intros c a H. exact (ex_series_scal_l c a H). Qed.
Lemma ex_series_sum : forall a b : nat -> R, ex_series a -> ex_series b ->
  ex_series (fun n => a n + b n).
Proof. intros a b Ha Hb. exact (ex_series_plus a b Ha Hb). Qed.
Lemma ex_series_diff : forall a b : nat -> R, ex_series a -> ex_series b ->
  ex_series (fun n => a n - b n).
Proof. intros a b Ha Hb. exact (ex_series_minus a b Ha Hb). Qed.

(* averages: a weight >= 0 with sum 1 and values in [0, c] *)
Lemma ex_series_avg : forall (w v : nat -> R) c, (forall n, 0 <= w n) -> ex_series w ->
  (forall n, 0 <= v n <= c) -> ex_series (fun n => w n * v n).
Proof.
  intros w v c Hw Hs Hv. apply (ex_series_below _ (fun n => c * w n)); [|apply ex_series_scaled;
    assumption].
  intros n. specialize (Hw n). specialize (Hv n). nra.
Qed.

Lemma series_avg : forall (w v : nat -> R) c, (forall n, 0 <= w n) -> is_series w 1 ->
  (forall n, 0 <= v n <= c) -> 0 <= Series (fun n => w n * v n) <= c.
Proof.
  intros w v c Hw Hs Hv. assert (Hx : ex_series w) by (eexists; exact Hs).
  pose proof (ex_series_avg w v c Hw Hx Hv) as Hwv. split.
  - apply series_nonneg; [assumption|]. intros n. specialize (Hw n). specialize (Hv n). nra.
  - replace c with (Series (fun n => c * w n))
      by (rewrite Series_scal_l, (is_series_unique w 1 Hs); ring).
    apply series_le; [assumption | apply ex_series_scaled; assumption |].
    intros n. specialize (Hw n). specialize (Hv n). nra.
Qed.
