(* Noise on the integers: discrete Gaussian and two-sided geometric rounds, chosen adaptively.

   In words: a round answers an integer query with noise whose weight at z is exp(-z^2 / (2 s2)) or
   exp(-|z| / b); the query, the kind and its scale may depend on everything released so far.
   These are laws on countably many outputs (`integer_noise`: the weights have a sum, each integer
   is counted once), so the compensators are (eps, delta)-DP for them (`integer_noise_private`). *)
From Coq Require Import Reals ZArith List Bool Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model CountableSums Countable CountableFilters.
Import ListNotations.
Open Scope R_scope.

(* ---------- the integers in a row: 0, -1, 1, -2, 2, ... ---------- *)
Definition zs (n : nat) : Z :=
  let k := Z.of_nat (Nat.div2 n) in if Nat.even n then k else (- k - 1)%Z.

Lemma zs_once : forall z, exists! n, zs n = z.
Proof.
  intros z. assert (D : forall n, exists k, (n = 2 * k \/ n = 2 * k + 1)%nat).
  { intros n. exists (Nat.div2 n). destruct (Nat.Even_or_Odd n) as [E|E].
    - left. apply Nat.Even_double in E. unfold Nat.double in E. lia.
    - right. apply Nat.Odd_double in E. unfold Nat.double in E. lia. }
  assert (V : forall k, zs (2 * k) = Z.of_nat k /\ zs (2 * k + 1) = (- Z.of_nat k - 1)%Z).
  { intros k. unfold zs. rewrite Nat.add_1_r, Nat.div2_double, Nat.div2_succ_double, Nat.even_succ.
    rewrite <- Nat.negb_even, Nat.even_mul. simpl. auto. }
  exists (if (0 <=? z)%Z then 2 * Z.to_nat z else 2 * Z.to_nat (- z - 1) + 1)%nat. split.
  - destruct (Z.leb_spec 0 z); rewrite ?(proj1 (V _)), ?(proj2 (V _)); lia.
  - intros n Hn. destruct (D n) as [k [-> | ->]]; rewrite ?(proj1 (V _)), ?(proj2 (V _)) in Hn;
    destruct (Z.leb_spec 0 z); lia.
Qed.

Lemma zs_grows : forall n q, (INR n - 1) / 2 - Rabs (IZR q) <= Rabs (IZR (zs n - q)).
Proof.
  intros n q. assert (H : (INR n - 1) / 2 <= Rabs (IZR (zs n))).
  { assert (Hk : (n <= 2 * Nat.div2 n + 1)%nat).
    { destruct (Nat.Even_or_Odd n) as [E|E];
      [apply Nat.Even_double in E | apply Nat.Odd_double in E]; unfold Nat.double in E; lia. }
    apply le_INR in Hk. rewrite plus_INR, mult_INR in Hk. simpl (INR 2) in Hk. simpl (INR 1) in Hk.
    unfold zs. destruct (Nat.even n).
    - rewrite <- INR_IZR_INZ. pose proof (Rle_abs (INR (Nat.div2 n))). lra.
    - rewrite minus_IZR, opp_IZR, <- INR_IZR_INZ. pose proof (pos_INR (Nat.div2 n)).
      rewrite Rabs_left by lra. lra. }
  rewrite minus_IZR. pose proof (Rabs_triang (IZR (zs n) - IZR q) (IZR q)).
  replace (IZR (zs n) - IZR q + IZR q) with (IZR (zs n)) in * by ring. lra.
Qed.

(* ---------- weights ---------- *)
Inductive noise := Discrete_gaussian (s2 : posreal) | Geometric (b : posreal).

Definition weight (k : noise) (z : Z) : R :=
  match k with
  | Discrete_gaussian s2 => exp (- (IZR z * IZR z) / (2 * s2))
  | Geometric b => exp (- Rabs (IZR z) / b)
  end.

Lemma weight_pos : forall k z, 0 < weight k z.
Proof. intros [s2|b] z; apply exp_pos. Qed.

Lemma exp_le : forall a b, a <= b -> exp a <= exp b.
Proof. intros a b [H|H]; [left; apply exp_increasing; exact H | rewrite H; lra]. Qed.

Lemma exp_power : forall a n, exp (INR n * a) = exp a ^ n.
Proof.
  intros a n. induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR. simpl pow. rewrite <- IH, <- exp_plus. f_equal. ring.
Qed.

Lemma exp_decays : forall a q, 0 < a -> ex_series (fun n => exp (- a * Rabs (IZR (zs n - q)))).
Proof.
  intros a q Ha. set (c := exp (a * (1 / 2 + Rabs (IZR q)))).
  apply (ex_series_below _ (fun n => c * exp (- (a / 2)) ^ n)).
  - intros n. split; [left; apply exp_pos|]. rewrite <- exp_power. unfold c. rewrite <- exp_plus.
    apply exp_le. pose proof (zs_grows n q). nra.
  - apply ex_series_scaled, ex_series_geom. rewrite Rabs_pos_eq by (left; apply exp_pos).
    rewrite <- exp_0. apply exp_increasing. lra.
Qed.

Lemma weight_sum : forall k q, ex_series (fun n => weight k (zs n - q)).
Proof.
  intros [s2|b] q.
  - apply (ex_series_below _ (fun n => exp (- / (2 * s2) * Rabs (IZR (zs n - q))))).
    + intros n. split; [left; apply exp_pos|]. apply exp_le. set (z := (zs n - q)%Z).
      assert (Hz : Rabs (IZR z) <= IZR z * IZR z).
      { rewrite <- abs_IZR, <- mult_IZR. apply IZR_le. nia. }
      pose proof (cond_pos s2). assert (0 < / (2 * s2)) by (apply Rinv_0_lt_compat; lra).
      unfold Rdiv. nra.
    + apply exp_decays. pose proof (cond_pos s2). apply Rinv_0_lt_compat; lra.
  - apply (ex_series_below _ (fun n => exp (- / b * Rabs (IZR (zs n - q))))).
    + intros n. split; [left; apply exp_pos|]. apply exp_le. unfold Rdiv. lra.
    + apply exp_decays. apply Rinv_0_lt_compat, cond_pos.
Qed.

Lemma weight_total_pos : forall k q, 0 < Series (fun n => weight k (zs n - q)).
Proof.
  intros k q. rewrite Series_incr_1 by apply weight_sum.
  pose proof (weight_pos k (zs 0 - q)).
  assert (0 <= Series (fun n => weight k (zs (S n) - q))); [|lra].
  apply series_nonneg; [|intros; left; apply weight_pos].
  apply (ex_series_incr_1 (fun n => weight k (zs n - q))), weight_sum.
Qed.

(* ---------- the game ---------- *)
Section Game.
Context {Db Req : Type}.
Variable query : Db -> hist Req Z -> Req -> Z.
Variable kind : hist Req Z -> Req -> noise.

Definition integer_noise : cmechanism Db (fun (_ : hist Req Z) (_ : Req) => zs).
Proof.
  refine (Build_cmechanism Req Z Db (fun _ _ => zs) (fun x h r y =>
    weight (kind h r) (y - query x h r) / Series (fun n => weight (kind h r) (zs n - query x h r)))
      _ _).
  - intros x h r y. left. apply Rdiv_lt_0_compat; [apply weight_pos | apply weight_total_pos].
  - intros x h r. pose proof (weight_total_pos (kind h r) (query x h r)) as Hp.
    set (total := Series _) in *.
    apply (is_series_same (fun n => / total * weight (kind h r) (zs n - query x h r)));
      [intros n; apply Rmult_comm|].
    replace 1 with (/ total * total) by (field; lra).
    apply is_series_scaled, Series_correct, weight_sum.
Defined.

Theorem integer_noise_private : forall menu pairs e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu integer_noise (ccompensator integer_noise e pairs d) e d x x' /\
  cprivate menu integer_noise (crefusing_compensator integer_noise e pairs d) e d x x' /\
  cprivate menu integer_noise (crecycling integer_noise e pairs d) e d x x' /\
  cprivate menu integer_noise (ccapped integer_noise e pairs d) e d x x'.
Proof.
  intros. repeat split; [apply ccompensator_private | apply crefusing_compensator_private |
    apply crecycling_private | apply ccapped_private]; assumption.
Qed.
End Game.
