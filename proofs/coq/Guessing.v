(* Theorem 1 of the paper is false as stated: the guessing game.

   In words: Y_1 is uniform on m symbols and independent of the database; the second request
   names a symbol; if it names y_1 the database is revealed, otherwise nothing is said.  With
   delta-tilde = 0, theta = 1/m and N = 2 the published rule takes both requests, because each
   fixed r_2 is unsafe with probability 1/m only; the adversary that asks r_2 = y_1 learns the
   database surely.

   Theorems: `guess_reveals` (for every m the event "it says true" has probability 1 under one
   database and 0 under the other); `published_refuted` (for every eps >= 0 and 0 < delta < 1
   some m meets the paper's constraint and the filter is not (eps, delta)-DP);
   `repaired_refuses` (the repaired rule answers Last to the first request). *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model LookAhead Repaired Published Audit.
Import ListNotations.
Open Scope R_scope.

Section Guessing.
Variable e : R.
Hypothesis He : 1 <= e.
Variable m : nat.
Hypothesis Hm : (1 <= m)%nat.

Definition g_menu (h : hist nat nat) : list nat := match h with [] => [0%nat] | _ => seq 0 m end.
Definition g_offer (_ : hist nat nat) (_ : nat) : list nat := seq 0 m.
Definition g_outs (h : hist nat nat) (_ : nat) : list nat :=
  match h with [] => seq 0 m | _ => [0%nat; 1%nat; 2%nat] end.
Definition g_pr (x : bool) (h : hist nat nat) (r y : nat) : R :=
  match h with
  | [] => / INR m                                             (* Y_1 uniform, ignores x *)
  | (_, Some y1) :: _ =>
      if Nat.eqb r y1 then ind (Nat.eqb y (if x then 1 else 0))   (* guessed: reveal x *)
      else ind (Nat.eqb y 2)                                      (* missed: say nothing *)
  | (_, None) :: _ => ind (Nat.eqb y 2)
  end.

Lemma m_pos : 0 < INR m. Proof. apply lt_0_INR; lia. Qed.
Lemma inv_m_pos : 0 < / INR m. Proof. apply Rinv_0_lt_compat, m_pos. Qed.

Lemma g_nonneg : forall x h r y, 0 <= g_pr x h r y.
Proof.
  intros x [|[r1 [y1|]] h] r y; simpl; [left; apply inv_m_pos | |]; try apply ind_range.
  destruct (Nat.eqb r y1); apply ind_range.
Qed.

Lemma g_sum : forall x h r, sumf (g_outs h r) (g_pr x h r) = 1.
Proof.
  intros x [|[r1 [y1|]] h] r; simpl g_outs.
  - change (g_pr x [] r) with (fun _ : nat => / INR m).
    rewrite sumf_const, seq_length. pose proof m_pos. field. lra.
  - unfold sumf; simpl. destruct (Nat.eqb r y1), x; simpl; lra.
  - unfold sumf; simpl. lra.
Qed.

Definition guessing : mechanism bool g_outs := Build_mechanism _ _ bool g_outs g_pr g_nonneg g_sum.

(* the adversary repeats the first output as its second request *)
Definition echo (h : hist nat nat) : option nat :=
  match h with [] => Some 0%nat | (_, Some y) :: _ => Some (y mod m) | (_, None) :: _ => None end.
Lemma echo_in : forall h r, echo h = Some r -> In r (g_menu h).
Proof.
  intros [|[r1 [y|]] h] r E; simpl in E; inversion E; subst; [left; reflexivity|].
  apply in_seq. pose proof (Nat.mod_upper_bound y m). lia.
Qed.
Lemma g_menu_nodup : forall h, NoDup (g_menu h).
Proof. intros [|a h]; simpl; [repeat constructor; auto | apply seq_NoDup]. Qed.
Definition guesser : adversary g_menu := follow Nat.eq_dec g_menu_nodup echo echo_in.

Definition g_pairs : list (bool * bool) := [(true, false); (false, true)].
Definition g_published : filter nat nat :=
  published g_menu g_offer guessing g_pairs e 0 (/ INR m) 2.
Definition g_repaired : filter nat nat := repaired g_menu guessing g_pairs e 0 (/ INR m) 2.

(* ---------- the checks of the published rule pass ---------- *)
Lemma first_output_harmless : forall x x' y, exceed guessing e x x' [(0%nat, Some y)] = false.
Proof. intros. unfold exceed. apply Rltb_false. simpl. pose proof inv_m_pos. nra. Qed.

Lemma start_passes : start_test g_menu guessing g_pairs e 0 = true.
Proof.
  apply start_test_spec. intros x x' _. unfold good. simpl. rewrite andb_true_r.
  apply Rleb_true. unfold tail. rewrite (sumf_ext _ _ _ (fun _ => 0)); [rewrite sumf_zero; lra|].
  intros y _. rewrite first_output_harmless. simpl. ring.
Qed.

Lemma miss_is_safe : forall x x' y r', r' <> y ->
  safe guessing e 0 x x' [(0%nat, Some y)] r' = true.
Proof.
  intros x x' y r' Hne. apply Rleb_true. unfold tail, sumf. simpl. apply Nat.eqb_neq in Hne.
  rewrite Hne. simpl.
  assert (E : exceed guessing e x x' [(r', Some 2%nat); (0%nat, Some y)] = false).
  { unfold exceed. apply Rltb_false. simpl. rewrite Hne. simpl. pose proof inv_m_pos. nra. }
  rewrite E. simpl. lra.
Qed.

Lemma published_passes : published_test g_offer guessing g_pairs e 0 (/ INR m) [] 0%nat = true.
Proof.
  apply published_test_spec. intros x x' _ r' Hr'. unfold psafe. simpl g_outs.
  apply Rle_trans with (sumf (seq 0 m) (fun y => / INR m * 1 - / INR m * point Nat.eq_dec r' y)).
  - rewrite sumf_minus, !sumf_scal, sumf_const, seq_length.
    rewrite (sumf_point1 Nat.eq_dec) by (auto; apply seq_NoDup).
    pose proof m_pos. right. field. lra.
  - apply sumf_le; intros y _. change (pr guessing x [] 0%nat y) with (/ INR m).
    pose proof inv_m_pos. unfold point. destruct (Nat.eq_dec y r') as [->|Hne].
    + pose proof (ind_range (safe guessing e 0 x x' [(0%nat, Some r')] r')). nra.
    + rewrite miss_is_safe by congruence. simpl ind. lra.
Qed.

(* ---------- and the adversary learns the database ---------- *)
Definition says_true (h : hist nat nat) : bool :=
  match h with (_, Some y) :: _ :: _ => Nat.eqb y 1 | _ => false end.

Lemma second_round : forall x y, In y (seq 0 m) ->
  law guesser g_published guessing x 1 [(0%nat, Some y)] (fun h => ind (says_true h)) = ind x.
Proof.
  intros x y Hy. apply in_seq in Hy. cbn [law]. unfold guesser. rewrite follow_turn. simpl echo.
  cbv iota. rewrite Nat.mod_small by lia. unfold replies, g_published, published, lookahead.
  rewrite start_passes. simpl. rewrite andb_false_r. simpl. rewrite Nat.eqb_refl.
  unfold sumf; simpl. destruct x; simpl; ring.
Qed.

Theorem guess_reveals : forall x, prob guesser g_published guessing x 2 says_true = ind x.
Proof.
  intros x. unfold prob.
  change (law guesser g_published guessing x 2 [] (fun h => ind (says_true h))) with
    (stops guesser [] * ind (says_true []) + sumf (g_menu []) (fun r => adv guesser [] r *
      sumf (replies g_outs g_published [] r) (fun o => chance guessing x [] r o *
        (if goes_on (g_published [] r)
         then law guesser g_published guessing x 1 [(r, o)] (fun h => ind (says_true h))
         else ind (says_true [(r, o)]))))).
  unfold guesser at 1 2. rewrite follow_turn. simpl echo. cbv iota. fold guesser.
  assert (EF : g_published [] 0%nat = Continue).
  { unfold g_published, published, lookahead. rewrite start_passes, published_passes.
    reflexivity. }
  unfold replies. rewrite EF. simpl. rewrite sumf_map.
  rewrite (sumf_ext _ _ _ (fun _ => / INR m * ind x)).
  - rewrite sumf_const, seq_length. pose proof m_pos. field. lra.
  - intros y Hy. cbv beta. rewrite <- (second_round x y Hy). reflexivity.
Qed.

Theorem published_not_private : forall d, d < 1 ->
  ~ private g_menu guessing g_published e d true false.
Proof.
  intros d Hd Hpriv. specialize (Hpriv guesser 2%nat says_true).
  rewrite !guess_reveals in Hpriv. simpl in Hpriv. lra.
Qed.

(* the repaired rule takes no second request *)
Theorem repaired_refuses : (2 <= m)%nat -> g_repaired [] 0%nat = Last.
Proof.
  intros Hm2.
  assert (Z : forall y, In y (seq 0 m) ->
            good g_menu guessing e 0 true false [(0%nat, Some y)] = false).
  { intros y Hy. apply not_true_iff_false. intro G.
    pose proof (good_tail _ _ _ _ _ _ _ y G Hy) as T. unfold tail, sumf in T. simpl in T.
    rewrite Nat.eqb_refl in T.
    assert (E : exceed guessing e true false [(y, Some 1%nat); (0%nat, Some y)] = true).
    { unfold exceed. apply Rltb_true. simpl. rewrite Nat.eqb_refl. simpl.
      pose proof inv_m_pos. lra. }
    rewrite E in T. simpl in T. lra. }
  assert (Hno : repaired_test g_menu guessing g_pairs e 0 (/ INR m) [] 0%nat = false).
  { apply not_true_iff_false. intro K. apply repaired_test_spec in K.
    specialize (K true false (or_introl eq_refl)). unfold pgood in K. simpl g_outs in K.
    rewrite (sumf_ext _ _ _ (fun _ => 0)) in K by (intros y Hy; rewrite (Z y Hy); simpl; ring).
    rewrite sumf_zero in K.
    assert (/ INR m < 1); [|lra].
    rewrite <- Rinv_1. apply Rinv_lt_contravar; [pose proof m_pos; lra|].
    assert (INR 2 <= INR m) by (apply le_INR; assumption). simpl in *. lra. }
  unfold g_repaired, repaired, lookahead. rewrite start_passes, Hno. reflexivity.
Qed.
End Guessing.

(* for every privacy level there is a game that meets the paper's constraint and breaks it *)
Theorem published_refuted : forall e d, 1 <= e -> 0 < d < 1 -> exists m Hm,
  0 + / INR m * (1 - 0) * INR 2 <= d /\
  ~ private (g_menu m) (guessing m Hm) (g_published e m Hm) e d true false.
Proof.
  intros e d He [Hd0 Hd1]. destruct (archimed (2 / d)) as [Hup _].
  assert (H2d : 0 < 2 / d) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; assumption]).
  assert (Hz : (0 < up (2 / d))%Z) by (apply lt_IZR; lra).
  set (m := Z.to_nat (up (2 / d))).
  assert (EN : INR m = IZR (up (2 / d))) by (unfold m; rewrite INR_IZR_INZ, Z2Nat.id by lia;
    reflexivity).
  assert (Hm : (1 <= m)%nat) by (unfold m; lia).
  exists m, Hm. split; [|apply published_not_private; assumption].
  assert (0 < INR m) by (apply m_pos; assumption).
  apply (Rmult_le_reg_l (INR m)); [assumption|].
  replace (INR m * (0 + / INR m * (1 - 0) * INR 2)) with 2 by (simpl; field; lra).
  assert (2 / d * d = 2) by (field; lra). nra.
Qed.
