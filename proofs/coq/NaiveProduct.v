(* The naive rule without a number of rounds: what is left after the realised risks.

   In words: let b_j be the probability, under x and given the past, that round j takes the realised loss
   above eps.  A filter that runs a round only where (1 - b_1) ... (1 - b_i) >= 1 - d, for every ordered
   pair that is still possible, lets the loss exceed eps at some time with probability at most d, for
   every adversary, wherever it stops (`naive_product_seldom`), and so it is (eps, d)-DP
   (`naive_product_private`).  It covers the naive rule at d/N for N rounds (`naive_product_wider`).

   Why: "no overshoot so far", divided by the product, is a martingale under P_x. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator LookAhead Potential Bounds Ever.
Import ListNotations.
Open Scope R_scope.

Section NaiveProduct.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e d : R.
Variable pairs : list (Db * Db).

Definition spared (x x' : Db) (h : hist Req Out) (r : Req) : R := 1 - tail M e x x' h r.
Definition naive_product_fits (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h ->
    1 - d <= product (spared x x') h * spared x x' h r.

Lemma tail_range : forall x x' h r, 0 <= tail M e x x' h r <= 1.
Proof.
  intros; unfold tail; split.
  - apply sumf_nonneg; intros y _. apply Rmult_le_pos; [apply pr_nonneg | apply ind_range].
  - apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply ind_range].
Qed.

Section Pair.
Variables x x' : Db.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d < 1.
Hypothesis Hp : In (x, x') pairs.
Hypothesis HF : respects menu outs F naive_product_fits.
Local Notation left := (product (spared x x')).

(* 1 while no round has overshot, 0 afterwards; and the same divided by the product *)
Fixpoint clean (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (_, Some _) :: k => clean k * (1 - ind (exceed M e x x' h))
  | (_, None) :: k => clean k
  end.
Definition martingale (h : hist Req Out) : R := clean h / left h.

Lemma clean_range : forall h, 0 <= clean h <= 1.
Proof.
  induction h as [|[r [y|]] h IH]; cbn [clean]; [lra | |assumption].
  pose proof (ind_range (exceed M e x x' ((r, Some y) :: h))). nra.
Qed.

Lemma exceed_unclean : forall h, exceed M e x x' h = true -> clean h = 0.
Proof.
  induction h as [|[r [y|]] h IH]; intros E; cbn [clean].
  - apply Rltb_true in E. simpl in E. lra.
  - rewrite E. simpl. ring.
  - apply IH. unfold exceed in *. simpl in E. rewrite !Rmult_1_r in E. exact E.
Qed.

Lemma left_seen : forall h, seen menu outs F h -> 0 < like M x h -> 1 - d <= left h.
Proof.
  induction h as [|[r o] h IH]; intros Hs Hl; [simpl; lra|]. destruct Hs as (Hr & Hin & Ho).
  pose proof (like_parent M x h r o Hl) as Hl'. unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
  - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. exact (HF h r Hr Hin Er x x' Hp Hl').
  - destruct Ho as [<-|[]]. apply IH; [apply reached_seen; assumption | assumption].
Qed.

Lemma martingale_range : forall h, seen menu outs F h -> 0 < like M x h ->
  0 <= (1 - d) * martingale h <= 1.
Proof.
  intros h Hs Hl. pose proof (left_seen h Hs Hl) as L. pose proof (clean_range h) as C.
  unfold martingale. assert (0 < / left h) by (apply Rinv_0_lt_compat; lra).
  assert (left h * / left h = 1) by (apply Rinv_r; lra). unfold Rdiv. split.
  - apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
  - apply Rle_trans with (left h * (1 * / left h)); [|lra].
    apply Rmult_le_compat; [lra | apply Rmult_le_pos; lra | assumption |].
    apply Rmult_le_compat_r; lra.
Qed.

Definition naive_value (h : hist Req Out) : R := like M x h * (1 - (1 - d) * martingale h).

Lemma naive_value_step : forall h r, reached menu outs F h -> In r (menu h) ->
  sumf (replies outs F h r) (fun o => naive_value ((r, o) :: h)) <= naive_value h.
Proof.
  intros h r Hr Hin. unfold replies. destruct (runs (F h r)) eqn:Er.
  2:{ rewrite sumf_cons. unfold naive_value, martingale. simpl. lra. }
  rewrite sumf_map. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hl|Hz].
  2:{ rewrite (sumf_ext _ _ _ (fun _ => 0)).
      - rewrite sumf_zero. unfold naive_value. rewrite <- Hz. lra.
      - intros y _. unfold naive_value. simpl. rewrite <- Hz. ring. }
  pose proof (HF h r Hr Hin Er x x' Hp Hl) as Fit.
  pose proof (left_seen h (reached_seen _ _ _ Hr) Hl) as L.
  assert (S0 : 0 < spared x x' h r) by nra.
  rewrite (sumf_ext _ _ _ (fun y => like M x h * (pr M x h r y
    - (1 - d) * (clean h / (left h * spared x x' h r)) *
      (pr M x h r y - pr M x h r y * ind (exceed M e x x' ((r, Some y) :: h)))))).
  - rewrite sumf_scal, sumf_minus, sumf_scal, sumf_minus, pr_sum. fold (tail M e x x' h r).
    fold (spared x x' h r). right. unfold naive_value, martingale. field. lra.
  - intros y _. unfold naive_value, martingale. cbn [like chance clean product].
    field. lra.
Qed.

Lemma naive_product_seldom_below : seldom menu M F x (exceed M e x x') d.
Proof.
  apply (ville menu M F x (exceed M e x x') naive_value).
  - intros h Hs. unfold naive_value. pose proof (like_nonneg M x h) as L.
    destruct L as [L| <-]; [|lra]. pose proof (martingale_range h Hs L). apply Rmult_le_pos; lra.
  - intros h _ E. unfold naive_value, martingale. rewrite (exceed_unclean h E). unfold Rdiv.
    rewrite Rmult_0_l. lra.
  - apply naive_value_step.
  - unfold naive_value, martingale. simpl. lra.
  - lra.
  - apply Rltb_false. simpl. lra.
Qed.
End Pair.

Theorem naive_product_seldom : 1 <= e -> 0 <= d -> respects menu outs F naive_product_fits ->
  forall x x', In (x, x') pairs -> seldom menu M F x (exceed M e x x') d.
Proof.
  intros He Hd HF x x' Hp. destruct (Rlt_le_dec d 1) as [C|C].
  - apply naive_product_seldom_below; auto.
  - intros A n. eapply Rle_trans; [|exact C]. rewrite <- (total_probability outs A F M x n).
    apply prob_le. reflexivity.
Qed.

Theorem naive_product_private : 1 <= e -> 0 <= d -> respects menu outs F naive_product_fits ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros He Hd HF x x' Hp. apply seldom_private; [lra|]. apply naive_product_seldom; assumption.
Qed.

(* the naive rule at d/N for N rounds runs nothing that this rule does not run *)
Theorem naive_product_wider : forall N, 0 <= d <= 1 -> respects menu outs F (naive_fits M e d pairs N) ->
  respects menu outs F naive_product_fits.
Proof.
  intros N Hd HF.
  assert (Kept : forall x x', In (x, x') pairs -> forall h r, reached menu outs F h -> In r (menu h) ->
    runs (F h r) = true -> 0 < like M x h ->
    INR N - INR (rounds h) * d <= INR N * product (spared x x') h /\ 0 <= product (spared x x') h <= 1).
  { intros x x' Hp h r Hr Hin Er Hl.
    assert (HN : 0 < INR N) by (apply lt_0_INR; destruct (HF h r Hr Hin Er) as [HN _]; lia).
    clear r Hin Er. induction h as [|[r o] h IH]; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & _).
    pose proof (like_parent M x h r o Hl) as Hl'. specialize (IH Hr Hl'). unfold replies in Ho.
    destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]].
      destruct (HF h r Hr Hin Er) as [_ Ht]. specialize (Ht x x' Hp Hl').
      change (rounds ((r, Some y) :: h)) with (S (rounds h)). rewrite S_INR. cbn [product].
      pose proof (tail_range x x' h r). change (spared x x' h r) with (1 - tail M e x x' h r). split; [|split; nra].
      assert (product (spared x x') h * (tail M e x x' h r * INR N) <= 1 * d)
        by (apply Rmult_le_compat; nra).
      nra.
    - destruct Ho as [<-|[]]. exact IH. }
  intros h r Hr Hin Er x x' Hp Hl. destruct (Kept x x' Hp h r Hr Hin Er Hl) as [K1 K2].
  destruct (HF h r Hr Hin Er) as [HN Ht]. specialize (Ht x x' Hp Hl).
  assert (INR (S (rounds h)) <= INR N) by (apply le_INR; assumption). rewrite S_INR in H.
  pose proof (pos_INR (rounds h)). pose proof (tail_range x x' h r).
  change (spared x x' h r) with (1 - tail M e x x' h r).
  assert (product (spared x x') h * (tail M e x x' h r * INR N) <= 1 * d)
    by (apply Rmult_le_compat; nra).
  apply (Rmult_le_reg_l (INR N)); [lra|]. nra.
Qed.
End NaiveProduct.
