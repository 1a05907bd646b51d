(* An enclosure of e^eps for a rational eps, in integers, and the sign of a + b e^eps decided by it.

   In words: for y = eps / 2^k at most 1/2 the sum of i terms of the series is below e^y, and the sum
   and twice the next term is above it.  Squaring k times brings us back to e^eps; numbers are
   integers over 2^b, rounded down for the lower end and up for the upper one (`bounds_sound`).  A
   linear function that is positive at both ends is positive at e^eps, so a sign that `sign`
   gives is right (`sign_sound`), whatever precision it took. *)
From Coq Require Import QArith Qreals ZArith Reals Bool Lia Lra Psatz.
From Filterproof Require Import Rational.
Open Scope R_scope.

(* ---------- the series of e^y for 0 <= y <= 1/2 ---------- *)
Definition term (y : R) (i : nat) : R := / INR (fact i) * y ^ i.
Fixpoint partial (y : R) (i : nat) : R :=
  match i with O => 0 | S j => partial y j + term y j end.

Lemma exp_series : forall y e, 0 < e -> exists N, forall n, (N <= n)%nat ->
  Rabs (partial y n - exp y) < e.
Proof.
  intros y e He. unfold exp. destruct (exist_exp y) as [v Hv]. cbn [proj1_sig].
  destruct (Hv e He) as [N HN]. exists (S N). intros [|n] Hn; [lia|].
  replace (partial y (S n)) with (sum_f_R0 (term y) n); [apply HN; lia|].
  clear. induction n as [|n IH]; [simpl; ring|]. cbn [sum_f_R0]. rewrite IH. reflexivity.
Qed.

Lemma term_nonneg : forall y i, 0 <= y -> 0 <= term y i.
Proof.
  intros y i Hy. unfold term. apply Rmult_le_pos; [|apply pow_le; exact Hy].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.
Lemma term_next : forall y i, term y (S i) * INR (S i) = term y i * y.
Proof.
  intros y i. unfold term. change (fact (S i)) with ((S i) * fact i)%nat. rewrite mult_INR.
  cbn [pow]. field. split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.
Lemma term_half : forall y i, 0 <= y <= 1 / 2 -> 2 * term y (S i) <= term y i.
Proof.
  intros y i Hy. pose proof (term_next y i) as Hn. pose proof (term_nonneg y i (proj1 Hy)).
  pose proof (term_nonneg y (S i) (proj1 Hy)). rewrite S_INR in Hn. pose proof (pos_INR i). nra.
Qed.

Lemma partial_more : forall y i j, 0 <= y -> partial y i <= partial y (i + j).
Proof.
  intros y i j Hy. induction j as [|j IH]; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [partial]. pose proof (term_nonneg y (i + j) Hy). lra.
Qed.
Lemma partial_rest : forall y i j, 0 <= y <= 1 / 2 ->
  partial y (i + j) + 2 * term y (i + j) <= partial y i + 2 * term y i.
Proof.
  intros y i j Hy. induction j as [|j IH]; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r. cbn [partial]. pose proof (term_half y (i + j) Hy). lra.
Qed.

Lemma exp_below : forall y i, 0 <= y -> partial y i <= exp y.
Proof.
  intros y i Hy. apply Rnot_lt_le. intros Hlt.
  destruct (exp_series y (partial y i - exp y)) as [N HN]; [lra|].
  specialize (HN (i + N)%nat ltac:(lia)). apply Rabs_def2 in HN. pose proof (partial_more y i N Hy). lra.
Qed.
Lemma exp_above : forall y i, 0 <= y <= 1 / 2 -> exp y <= partial y i + 2 * term y i.
Proof.
  intros y i Hy. apply Rnot_lt_le. intros Hlt.
  destruct (exp_series y (exp y - (partial y i + 2 * term y i))) as [N HN]; [lra|].
  specialize (HN (i + N)%nat ltac:(lia)). apply Rabs_def2 in HN.
  pose proof (partial_rest y i N Hy). pose proof (term_nonneg y (i + N) (proj1 Hy)). lra.
Qed.

(* ---------- squaring with outward rounding ---------- *)
Section Fixed.
Variable b : Z. (* a number n stands for n / 2^b *)
Hypothesis b_nonneg : (0 <= b)%Z.
Definition scale : R := IZR (2 ^ b).

Definition square (p : Z * Z) : Z * Z :=
  (Z.shiftr (fst p * fst p) b, (Z.shiftr (snd p * snd p) b + 1)%Z).
Definition encloses (p : Z * Z) (v : R) : Prop :=
  (0 <= fst p)%Z /\ IZR (fst p) <= scale * v <= IZR (snd p).

Lemma scale_pos : 0 < scale.
Proof. unfold scale. apply IZR_lt. apply Z.pow_pos_nonneg; lia. Qed.

Lemma shiftr_spec : forall n,
  IZR (Z.shiftr n b) * scale <= IZR n <= IZR (Z.shiftr n b + 1) * scale.
Proof.
  intros n. unfold scale. rewrite Z.shiftr_div_pow2 by exact b_nonneg.
  assert (Hp : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (Z.div_mod n (2 ^ b)) as Hd. pose proof (Z.mod_pos_bound n (2 ^ b) Hp) as Hm.
  specialize (Hd ltac:(lia)). rewrite <- !mult_IZR. split; apply IZR_le; nia.
Qed.

Lemma square_encloses : forall p v, 0 < v -> encloses p v -> encloses (square p) (v * v).
Proof.
  intros [lo hi] v Hv (H0 & Hl & Hh). unfold square, encloses. cbn [fst snd] in *.
  pose proof scale_pos as Hs.
  destruct (shiftr_spec (lo * lo)) as [Hlo _]. destruct (shiftr_spec (hi * hi)) as [_ Hhi].
  rewrite mult_IZR in Hlo, Hhi. apply IZR_le in H0.
  split; [apply Z.shiftr_nonneg; nia|].
  assert (IZR lo * IZR lo <= (scale * v) * (scale * v)) by (apply Rmult_le_compat; lra).
  assert (0 <= scale * v) by nra.
  assert ((scale * v) * (scale * v) <= IZR hi * IZR hi) by (apply Rmult_le_compat; lra).
  split; apply Rmult_le_reg_r with scale; nra.
Qed.

Fixpoint squares (k : nat) (p : Z * Z) : Z * Z :=
  match k with O => p | S k' => squares k' (square p) end.

Lemma squares_enclose : forall k p y, encloses p (exp y) ->
  encloses (squares k p) (exp (2 ^ k * y)).
Proof.
  induction k as [|k IH]; intros p y H; cbn [squares].
  - replace (2 ^ 0 * y) with y by (simpl; ring). exact H.
  - replace (2 ^ S k * y) with (2 ^ k * (y + y)) by (simpl; ring).
    apply IH. rewrite exp_plus. apply square_encloses; [apply exp_pos | exact H].
Qed.

(* the series for y = n/d: the term t of index i, the sum s of those before it *)
Fixpoint series (n d : Z) (count : nat) (i : Z) (t s : Z * Z) : Z * Z :=
  match count with
  | O => (fst s, (snd s + 2 * snd t)%Z)
  | S count' =>
      let below := (d * (i + 1))%Z in
      series n d count' (i + 1) (fst t * n / below, snd t * n / below + 1)%Z
        (fst s + fst t, snd s + snd t)%Z
  end.
Definition around (p : Z * Z) (v : R) : Prop := IZR (fst p) <= v <= IZR (snd p).

Lemma divided : forall a n d, (0 <= n)%Z -> (0 < d)%Z ->
  IZR (a * n / d) * IZR d <= IZR a * IZR n <= IZR (a * n / d + 1) * IZR d.
Proof.
  intros a n d Hn Hd. rewrite <- !mult_IZR.
  pose proof (Z.mul_div_le (a * n) d Hd). pose proof (Z.mul_succ_div_gt (a * n) d Hd).
  split; apply IZR_le; lia.
Qed.

Lemma series_encloses : forall n d, (0 <= n)%Z -> (2 * n <= d)%Z -> (0 < d)%Z ->
  forall count i t s, (0 <= fst t)%Z -> (0 <= fst s)%Z ->
  around t (scale * term (IZR n / IZR d) i) -> around s (scale * partial (IZR n / IZR d) i) ->
  encloses (series n d count (Z.of_nat i) t s) (exp (IZR n / IZR d)).
Proof.
  intros n d Hn Hnd Hd. set (y := IZR n / IZR d). pose proof scale_pos as Hs.
  assert (HdR : 0 < IZR d) by (apply IZR_lt; exact Hd).
  assert (HnR : 0 <= IZR n) by (apply IZR_le; exact Hn).
  assert (Hy : y * IZR d = IZR n) by (unfold y; field; lra).
  assert (HndR : 2 * IZR n <= IZR d) by (rewrite <- mult_IZR; apply IZR_le; exact Hnd).
  assert (Hy2 : 0 <= y <= 1 / 2) by (split; apply Rmult_le_reg_r with (IZR d); lra).
  induction count as [|count IH]; intros i t s Ht0 Hs0 Ht Hsum; unfold around in *; cbn [series].
  - unfold encloses. cbn [fst snd]. rewrite plus_IZR, mult_IZR.
    pose proof (exp_below y i (proj1 Hy2)). pose proof (exp_above y i Hy2).
    split; [exact Hs0|]. split; nra.
  - replace (Z.of_nat i + 1)%Z with (Z.of_nat (S i)) by lia.
    set (below := (d * Z.of_nat (S i))%Z). assert (Hb : (0 < below)%Z) by (unfold below; lia).
    assert (HbR : IZR below = IZR d * INR (S i)) by (unfold below; rewrite mult_IZR, <- INR_IZR_INZ; reflexivity).
    assert (HB : 0 < IZR below) by (apply IZR_lt; exact Hb).
    apply IH; cbn [fst snd]; [apply Z.div_pos; nia | lia | |].
    + destruct (divided (fst t) n below Hn Hb) as [H1 _]. destruct (divided (snd t) n below Hn Hb) as [_ H2].
      pose proof (term_next y i) as Hnext.
      assert (E : scale * term y (S i) * IZR below = scale * term y i * IZR n).
      { rewrite HbR. replace (scale * term y (S i) * (IZR d * INR (S i)))
          with (scale * IZR d * (term y (S i) * INR (S i))) by ring. rewrite Hnext, <- Hy. ring. }
      split; apply Rmult_le_reg_r with (IZR below); try exact HB; rewrite E;
        [apply Rle_trans with (1 := H1) | apply Rle_trans with (2 := H2)];
        apply Rmult_le_compat_r; tauto.
    + cbn [partial]. rewrite !plus_IZR. lra.
Qed.
End Fixed.

(* ---------- e^eps between two rationals with about p correct bits ---------- *)
Definition bounds (eps : Q) (p : Z) : Q * Q :=
  let d := Zpos (Qden eps) in
  let k := (Z.log2 (Qnum eps / d + 1) + 2)%Z in
  let b := (p + 2 * k + 8)%Z in
  let one := (2 ^ b)%Z in
  let count := Z.to_nat (p / 4 + 8) in
  let e := squares b (Z.to_nat k) (series (Qnum eps) (Z.shiftl d k) count 0 (one, one) (0, 0)%Z) in
  (fst e # Z.to_pos one, snd e # Z.to_pos one).

Lemma bounds_sound : forall eps p, (0 <= eps)%Q -> (0 <= p)%Z ->
  Q2R (fst (bounds eps p)) <= exp (Q2R eps) <= Q2R (snd (bounds eps p)).
Proof.
  intros [n d] p Heps Hp. unfold bounds. cbn [Qnum Qden].
  set (k := (Z.log2 _ + 2)%Z). set (b := (p + 2 * k + 8)%Z). set (count := Z.to_nat (p / 4 + 8)).
  assert (Hn : (0 <= n)%Z) by (unfold Qle in Heps; simpl in Heps; lia).
  assert (Hk : (2 <= k)%Z) by (unfold k; pose proof (Z.log2_nonneg (n / Zpos d + 1)); lia).
  assert (Hb : (0 <= b)%Z) by (unfold b; lia).
  rewrite Z.shiftl_mul_pow2 by lia. set (d' := (Zpos d * 2 ^ k)%Z).
  assert (Hpow2 : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Hsmall : (2 * n <= d')%Z).
  { assert (H1 : (n / Zpos d + 1 < 2 ^ Z.succ (k - 2))%Z).
    { unfold k. rewrite Z.add_simpl_r. apply Z.log2_spec.
      assert (0 <= n / Zpos d)%Z by (apply Z.div_pos; lia). lia. }
    assert (H2 : (2 ^ k = 2 * 2 ^ Z.succ (k - 2))%Z)
      by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
    pose proof (Z.mul_succ_div_gt n (Zpos d) ltac:(lia)). unfold d'. nia. }
  assert (Hd' : (0 < d')%Z) by (unfold d'; lia).
  assert (H : encloses b (series n d' count 0 (2 ^ b, 2 ^ b)%Z (0, 0)%Z) (exp (IZR n / IZR d'))).
  { assert (Hpb : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; lia).
    apply (series_encloses b Hb n d' Hn Hsmall Hd' count 0); cbn [fst snd]; try lia;
      unfold around, scale, term, partial; cbn [fst snd]; simpl fact; simpl pow; simpl INR; lra. }
  apply (squares_enclose b Hb (Z.to_nat k)) in H.
  replace (2 ^ Z.to_nat k * (IZR n / IZR d')) with (Q2R (n # d)) in H.
  - destruct H as (_ & Hl & Hh). pose proof (scale_pos b Hb) as Hs. unfold scale in *.
    assert (Hpow : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; lia).
    set (e := squares b _ _) in *. set (v := exp _) in *. cbn [fst snd]. unfold Q2R.
    cbn [Qnum Qden]. rewrite !Z2Pos.id by exact Hpow.
    split; apply Rmult_le_reg_r with (IZR (2 ^ b)); try exact Hs;
      [rewrite (Rmult_assoc (IZR (fst e))) | rewrite (Rmult_assoc (IZR (snd e)))];
      rewrite Rinv_l by lra; lra.
  - unfold d'. rewrite mult_IZR. unfold Q2R. cbn [Qnum Qden].
    replace (IZR (2 ^ k)) with (2 ^ Z.to_nat k) by (rewrite pow_IZR; f_equal; f_equal; lia).
    assert (0 < 2 ^ Z.to_nat k) by (apply pow_lt; lra).
    assert (0 < IZR (Zpos d)) by (apply IZR_lt; lia). field. lra.
Qed.

(* ---------- the budget, and the sign of a + b e^eps ---------- *)
Inductive budget := Rational (eps : Q) | Logarithm (odds : Q).

Definition odds (e : budget) : R :=
  match e with Rational eps => exp (Q2R eps) | Logarithm q => Q2R q end.
Definition nonnegative (e : budget) : Prop :=
  match e with Rational eps => (0 <= eps)%Q | Logarithm q => (1 <= q)%Q end.

Lemma odds_ge_1 : forall e, nonnegative e -> 1 <= odds e.
Proof.
  intros [eps|q] H; apply Qle_Rle in H; rewrite ?Q2R_0', ?Q2R_1' in H; [|exact H].
  simpl. pose proof (exp_below (Q2R eps) 1 H) as Hb. unfold partial, term in Hb. simpl in Hb. lra.
Qed.

Definition linear (a b t : Q) : bool := Qltb 0 (a + b * t).

(* with the ends of an enclosure; if they disagree, with a finer one, at most `fuel` times *)
Fixpoint refine (eps a b : Q) (fuel : nat) (p : Z) (ends : Q * Q) : option bool :=
  let low := linear a b (fst ends) in
  if Bool.eqb low (linear a b (snd ends)) then Some low
  else match fuel with
  | O => None
  | S fuel' => refine eps a b fuel' (2 * p) (bounds eps (2 * p))
  end.

Definition coarse : Z := 32.
Definition fuel : nat := 13.
(* what is computed once for a budget: a first enclosure of e^eps *)
Definition prepare (e : budget) : Q * Q :=
  match e with Rational eps => bounds eps coarse | Logarithm q => (q, q) end.
Definition sign (e : budget) (ends : Q * Q) (a b : Q) : option bool :=
  match e with
  | Logarithm q => Some (linear a b q)
  | Rational eps =>
      if Qeq_bool b 0 || Qeq_bool eps 0 then Some (linear a b 1)
      else refine eps a b fuel coarse ends
  end.

Lemma linear_spec : forall a b t, linear a b t = true <-> 0 < Q2R a + Q2R b * Q2R t.
Proof.
  intros. unfold linear. rewrite Qltb_Rltb, Q2R_plus, Q2R_mult, Q2R_0'. apply Sums.Rltb_true.
Qed.
Lemma linear_false : forall a b t, linear a b t = false <-> Q2R a + Q2R b * Q2R t <= 0.
Proof.
  intros. unfold linear. rewrite Qltb_Rltb, Q2R_plus, Q2R_mult, Q2R_0'. apply Sums.Rltb_false.
Qed.

Definition right_about (v : R) (said : bool) : Prop := if said then 0 < v else v <= 0.

Lemma refine_sound : forall eps a b n p ends said, (0 <= eps)%Q -> (0 <= p)%Z ->
  Q2R (fst ends) <= exp (Q2R eps) <= Q2R (snd ends) ->
  refine eps a b n p ends = Some said -> right_about (Q2R a + Q2R b * exp (Q2R eps)) said.
Proof.
  induction n as [|n IH]; intros p ends said He Hp Hends; cbn [refine];
    destruct (Bool.eqb _ _) eqn:E; intros H; try discriminate.
  1, 2: injection H as <-; apply Bool.eqb_prop in E;
    destruct (linear a b (fst ends)) eqn:L; symmetry in E; unfold right_about;
    [ apply linear_spec in L; apply linear_spec in E
    | apply linear_false in L; apply linear_false in E ];
    destruct (Rle_dec 0 (Q2R b)); nra.
  apply (IH (2 * p)%Z (bounds eps (2 * p)%Z) said); auto; [lia|]. apply bounds_sound; [exact He | lia].
Qed.

Theorem sign_sound : forall e a b said, nonnegative e ->
  sign e (prepare e) a b = Some said -> right_about (Q2R a + Q2R b * odds e) said.
Proof.
  intros [eps|q] a b said He; unfold sign, prepare, nonnegative, odds in *.
  - destruct (Qeq_bool b 0) eqn:Eb; cbn [orb]; [|destruct (Qeq_bool eps 0) eqn:Ee]; intros H.
    + injection H as <-. apply Qeq_bool_iff, Qeq_eqR in Eb. rewrite Q2R_0' in Eb.
      rewrite Eb. unfold right_about. destruct (linear a b 1) eqn:L;
        [apply linear_spec in L | apply linear_false in L]; rewrite Eb in L; lra.
    + injection H as <-. apply Qeq_bool_iff, Qeq_eqR in Ee. rewrite Ee, Q2R_0', exp_0, <- Q2R_1'.
      unfold right_about. destruct (linear a b 1) eqn:L;
        [apply linear_spec | apply linear_false]; exact L.
    + eapply refine_sound; [exact He | | | exact H]; [unfold coarse; lia|].
      apply bounds_sound; [exact He | unfold coarse; lia].
  - intros H. injection H as <-. unfold right_about. destruct (linear a b q) eqn:L;
      [apply linear_spec | apply linear_false]; exact L.
Qed.

(* log(q) is eps = ln q *)
Lemma odds_of_log : forall q, (1 <= q)%Q -> odds (Logarithm q) = exp (ln (Q2R q)).
Proof.
  intros q H. apply Qle_Rle in H. rewrite Q2R_1' in H. simpl. rewrite exp_ln; lra.
Qed.
