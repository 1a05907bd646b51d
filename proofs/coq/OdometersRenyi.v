(* Odometers by Renyi sums: one order, several orders, and guesses.

   In words: S(h, r) bounds, for every ordered pair, the sum over y of P_x(y)^a P_x'(y)^(1-a) of a round,
   a = 1 + s > 1; where such a sum is infinite the report is infinite from then on.  Take orders with
   weights that add up to 1 at most, fixed before the play.
     - `odometer_renyi_orders_keeps`: a report eps_t >= (log S_1 ... S_t + log(1/(w d)))/s for some order
       (s, w) of the list keeps its promise at d; so does 0 while nothing was said, S_1 ... S_t = 1;
     - `odometer_renyi_keeps`: one order with all of d;
     - `odometer_guesses_keeps`: guesses with an order and a share of d each; reported is any guess whose
       Renyi filter, with Mironov's conversion at its share, has room for all that was released.
   e^((a-1) L_t) / (S_1 ... S_t) is a supermartingale under P_x, and so is a weighted sum of these. *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential Leak Moments Renyi RenyiSums Ever Odometers.
Import ListNotations.
Open Scope R_scope.

Section Renyi.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variable moment : R -> hist Req Out -> Req -> R.

(* every round so far had finite sums *)
Fixpoint finite_so_far (h : hist Req Out) : bool :=
  match h with
  | [] => true
  | (r, Some _) :: k => finite_so_far k && finite_round M pairs k r
  | (_, None) :: k => finite_so_far k
  end.

(* some order fits with its share of d, or nothing was said *)
Definition order_report (d : R) (orders : list (R * R)) (report : hist Req Out -> option R) : Prop :=
  forall h e, report h = Some e -> 1 <= e /\ finite_so_far h = true /\
    exists s w, In (s, w) orders /\
      (product (moment s) h <= w * d * Rpower e s \/ product (moment s) h <= 1).

Section Pair.
Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.
Variable d : R.
Hypothesis Hd : 0 <= d.
Variable orders : list (R * R).
Hypothesis orders_ok : forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s.
Hypothesis weights : sumf orders snd <= 1.

(* what finite rounds keep: x' explains what x explains, sums are at least 1 *)
Lemma finite_likes : forall h, seen menu outs F h -> finite_so_far h = true ->
  0 < like M x h -> 0 < like M x' h.
Proof.
  induction h as [|[r o] h IH]; intros Hs Hf Hl; [simpl; lra|]. destruct Hs as (Hr & _ & Ho).
  pose proof (like_parent M x h r o Hl) as Hl'. unfold replies in Ho. simpl. destruct o as [y|].
  - cbn [finite_so_far] in Hf. apply andb_true_iff in Hf. destruct Hf as [F1 F2].
    apply Rmult_lt_0_compat; [apply IH; auto; apply reached_seen; assumption|]. simpl.
    destruct (runs (F h r)); [|destruct Ho as [E|[]]; discriminate].
    apply in_map_iff in Ho. destruct Ho as [z [E Hz]]. inversion E; subst z.
    apply (finite_round_spec M pairs h r F2 x x' Hp y Hz). simpl in Hl. pose proof (pr_nonneg M x h r y). nra.
  - simpl. rewrite Rmult_1_r. apply IH; auto. apply reached_seen; assumption.
Qed.

Lemma moment_ge : forall s w h r, In (s, w) orders -> finite_round M pairs h r = true -> 1 <= moment s h r.
Proof.
  intros s w h r Hin. destruct (orders_ok s w Hin) as (Hs & _ & Hb).
  apply (RenyiSums.moment_ge M pairs x x' Hp moment s h r Hs Hb).
Qed.

Lemma moments_ge : forall s w h, In (s, w) orders -> finite_so_far h = true -> 1 <= product (moment s) h.
Proof.
  intros s w h Hin. induction h as [|[r [y|]] h IH]; cbn [finite_so_far product]; intros Hf; [lra | |auto].
  apply andb_true_iff in Hf. destruct Hf as [F1 F2]. specialize (IH F1).
  pose proof (moment_ge s w h r Hin F2). nra.
Qed.

(* a product of 1: the two databases are as likely as each other *)
Lemma nothing_said : forall s w h, In (s, w) orders -> seen menu outs F h ->
  finite_so_far h = true -> product (moment s) h <= 1 -> like M x h <= like M x' h.
Proof.
  intros s w h Hin. induction h as [|[r o] h IH]; intros Hsn Hf H1; [simpl; lra|].
  destruct Hsn as (Hr & _ & Ho). pose proof (reached_seen _ _ _ Hr) as Hs'. unfold replies in Ho.
  destruct o as [y|]; cbn [finite_so_far product] in *; [|simpl; rewrite !Rmult_1_r; auto].
  apply andb_true_iff in Hf. destruct Hf as [F1 F2].
  pose proof (moments_ge s w h Hin F1) as G1. pose proof (moment_ge s w h r Hin F2) as G2.
  specialize (IH Hs' F1 ltac:(nra)). assert (moment s h r <= 1) by nra.
  destruct (orders_ok s w Hin) as (Hs & _ & Hb).
  specialize (Hb h r (finite_round_spec M pairs h r F2) x x' Hp).
  destruct (runs (F h r)); [|destruct Ho as [E|[]]; discriminate].
  apply in_map_iff in Ho. destruct Ho as [z [E Hz]]. inversion E; subst z.
  set (gap := fun y => term s (pr M x h r y) (pr M x' h r y)
    - (pr M x h r y + s * (pr M x h r y - pr M x' h r y))).
  assert (Gap : forall y, In y (outs h r) -> 0 <= gap y).
  { intros c Hc. unfold gap. destruct (term_tangent s (pr M x h r c) (pr M x' h r c) Hs
      (pr_nonneg M x h r c) (pr_nonneg M x' h r c) (finite_round_spec M pairs h r F2 x x' Hp c Hc)). lra. }
  assert (Sum : sumf (outs h r) gap <= 0).
  { unfold gap. rewrite sumf_minus, sumf_plus, sumf_scal, sumf_minus, !pr_sum. lra. }
  pose proof (sumf_member _ (outs h r) gap y Gap Hz). unfold gap in H0 at 1.
  destruct (term_tangent s (pr M x h r y) (pr M x' h r y) Hs (pr_nonneg M x h r y)
    (pr_nonneg M x' h r y) (finite_round_spec M pairs h r F2 x x' Hp y Hz)) as [_ T].
  specialize (T ltac:(lra)). simpl. apply Rmult_le_compat; auto using like_nonneg, pr_nonneg.
Qed.

Definition normed (o : R * R) (h : hist Req Out) : R :=
  snd o * d * (term (fst o) (like M x h) (like M x' h) / product (moment (fst o)) h).
Definition renyi_value (h : hist Req Out) : R :=
  if finite_so_far h then sumf orders (fun o => normed o h) else 0.

Lemma normed_nonneg : forall h, finite_so_far h = true -> forall o, In o orders -> 0 <= normed o h.
Proof.
  intros h Hf [s w] Ho. unfold normed. simpl. destruct (orders_ok s w Ho) as (_ & Hw & _).
  pose proof (moments_ge s w h Ho Hf). apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
  apply Rmult_le_pos; [apply term_nonneg | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma renyi_value_nonneg : forall h, 0 <= renyi_value h.
Proof.
  intros h. unfold renyi_value. destruct (finite_so_far h) eqn:E; [|lra].
  apply sumf_nonneg. apply normed_nonneg; assumption.
Qed.

Lemma renyi_value_step : forall h r, reached menu outs F h -> In r (menu h) ->
  sumf (replies outs F h r) (fun o => renyi_value ((r, o) :: h)) <= renyi_value h.
Proof.
  intros h r Hr _. unfold replies. destruct (runs (F h r)).
  2:{ rewrite sumf_cons. unfold renyi_value, normed. simpl. rewrite !Rmult_1_r. lra. }
  rewrite sumf_map. pose proof (renyi_value_nonneg h) as Pos. unfold renyi_value at 1. cbn [finite_so_far].
  destruct (finite_so_far h) eqn:E1; [|rewrite sumf_zero; assumption].
  destruct (finite_round M pairs h r) eqn:E2; [|rewrite sumf_zero; assumption]. simpl andb. cbv iota.
  unfold renyi_value. rewrite E1, sumf_swap. apply sumf_le; intros [s w] Hin. unfold normed. cbn [fst snd].
  destruct (orders_ok s w Hin) as (Hs & Hw & Hb). pose proof (moments_ge s w h Hin E1) as G1.
  pose proof (moment_ge s w h r Hin E2) as G2. specialize (Hb h r (finite_round_spec M pairs h r E2) x x' Hp).
  set (c := w * d * (term s (like M x h) (like M x' h) / (product (moment s) h * moment s h r))).
  rewrite (sumf_ext _ _ _ (fun y => c * term s (pr M x h r y) (pr M x' h r y))).
  - rewrite sumf_scal. apply Rle_trans with (c * moment s h r); [|right; unfold c; field; lra].
    apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
    apply Rmult_le_pos; [apply term_nonneg | left; apply Rinv_0_lt_compat; nra].
  - intros y Hy. unfold c. cbn [like chance product].
    rewrite term_mult; try apply like_nonneg; try apply pr_nonneg.
    + unfold Rdiv. ring.
    + apply finite_likes; [apply reached_seen; assumption | assumption].
    + apply (finite_round_spec M pairs h r E2 x x' Hp y Hy).
Qed.

(* a loss above eps shows in every moment *)
Lemma term_exceed : forall s e p q, 0 < s -> 1 <= e -> 0 < q -> e * q < p -> p * Rpower e s <= term s p q.
Proof.
  intros s e p q Hs He Hq H. unfold term. destruct (Rlt_dec 0 p) as [C|C]; [|nra].
  apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; [lra|]. split; [lra|].
  apply (Rmult_le_reg_r q); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma orders_seldom : forall report, order_report d orders report ->
  seldom menu M F x (above M report x x') d.
Proof.
  intros report Hrep. apply (ville menu M F x _ renyi_value).
  - intros h _. apply renyi_value_nonneg.
  - intros h Hs E. unfold above in E. destruct (report h) as [e|] eqn:Er; [|discriminate].
    apply Rltb_true in E. destruct (Hrep h e Er) as (He & Hf & s & w & Hin & Hfit).
    destruct (orders_ok s w Hin) as (Hs0 & Hw & _). pose proof (moments_ge s w h Hin Hf) as G.
    pose proof (like_nonneg M x' h) as L'.
    destruct Hfit as [Hfit|Hone]; [|pose proof (nothing_said s w h Hin Hs Hf Hone); nra].
    assert (Hl : 0 < like M x h) by nra. pose proof (finite_likes h Hs Hf Hl) as Hl'.
    pose proof (term_exceed s e _ _ Hs0 He Hl' E) as T. unfold renyi_value. rewrite Hf.
    eapply Rle_trans; [|apply (sumf_member _ orders (fun o => normed o h) (s, w)
      (normed_nonneg h Hf) Hin)]. unfold normed. cbn [fst snd].
    apply (Rmult_le_reg_r (product (moment s) h)); [lra|].
    apply Rle_trans with (w * d * term s (like M x h) (like M x' h)); [|right; field; lra].
    apply Rle_trans with (w * d * (like M x h * Rpower e s)).
    + apply Rle_trans with (like M x h * (w * d * Rpower e s)); [|right; ring].
      apply Rmult_le_compat_l; lra.
    + apply Rmult_le_compat_l; [apply Rmult_le_pos|]; assumption.
  - apply renyi_value_step.
  - unfold renyi_value, normed. simpl. rewrite (sumf_ext _ _ _ (fun o => d * snd o)).
    + rewrite sumf_scal. nra.
    + intros [s w] _. simpl. rewrite term_one. field.
  - assumption.
  - unfold above. destruct (report []) as [e|] eqn:Er; [|reflexivity].
    destruct (Hrep [] e Er) as [He _]. apply Rltb_false. simpl. lra.
Qed.
End Pair.

Theorem odometer_renyi_orders_keeps : forall d orders report, 0 <= d ->
  (forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  sumf orders snd <= 1 -> order_report d orders report -> keeps menu M pairs F report d.
Proof. intros d orders report Hd Ho Hw Hrep x x' Hp. eapply orders_seldom; eassumption. Qed.

Theorem odometer_renyi_keeps : forall d s report, 0 <= d -> 0 < s -> bounds_moment M pairs moment s ->
  (forall h e, report h = Some e -> 1 <= e /\ finite_so_far h = true /\
     (product (moment s) h <= d * Rpower e s \/ product (moment s) h <= 1)) ->
  keeps menu M pairs F report d.
Proof.
  intros d s report Hd Hs Hb Hrep. apply (odometer_renyi_orders_keeps d [(s, 1)]); [assumption | | simpl; lra |].
  - intros s' w [E|[]]. inversion E; subst. repeat split; auto; lra.
  - intros h e Er. destruct (Hrep h e Er) as (H1 & H2 & H3). split; [assumption|]. split; [assumption|].
    exists s, 1. split; [left; reflexivity|]. rewrite Rmult_1_l. assumption.
Qed.

(* the Renyi filter of order 1 + s at (log e, d) has admitted every round so far *)
Fixpoint admitted (e d s : R) (h : hist Req Out) : Prop :=
  match h with
  | [] => True
  | (r, Some _) :: k => admitted e d s k /\ finite M pairs k r /\ order_fits e d moment 1 s k r
  | (_, None) :: k => admitted e d s k
  end.

(* guesses (e, (s, w)): the odds, the order and the share of d *)
Theorem odometer_guesses_keeps : forall d (guesses : list (R * (R * R))) report, 0 <= d ->
  (forall e s w, In (e, (s, w)) guesses -> 1 <= e /\ 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  sumf guesses (fun g => snd (snd g)) <= 1 ->
  (forall h e, report h = Some e -> exists s w, In (e, (s, w)) guesses /\ admitted e (w * d) s h) ->
  keeps menu M pairs F report d.
Proof.
  intros d guesses report Hd Hg Hw Hrep. apply (odometer_renyi_orders_keeps d (map snd guesses)); [assumption | | |].
  - intros s w Hin. apply in_map_iff in Hin. destruct Hin as [[e [s' w']] [E Hin]]. simpl in E.
    inversion E; subst. destruct (Hg e s w Hin) as (_ & H). exact H.
  - rewrite sumf_map. exact Hw.
  - intros h e Er. destruct (Hrep h e Er) as (s & w & Hin & Ha). destruct (Hg e s w Hin) as [He _].
    split; [assumption|]. split.
    + clear Er. induction h as [|[r [y|]] h IH]; cbn [finite_so_far admitted] in *; auto.
      destruct Ha as (H1 & H2 & _). rewrite (IH H1). simpl. apply finite_round_iff. assumption.
    + exists s, w. split; [apply in_map_iff; exists (e, (s, w)); auto|].
      clear Er. induction h as [|[r [y|]] h IH]; cbn [product admitted] in *; [right; lra | left | auto].
      destruct Ha as (_ & _ & H). unfold order_fits in H. lra.
Qed.
End Renyi.
