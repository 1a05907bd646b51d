(* What the published rule does guarantee.

   In words: the published check takes the requests outside the probability: each next request
   on its own must be safe with probability at least 1 - th.
     - `published_private_few`: with at most m requests on offer per round the filter is private
       with m * th in place of th;
     - `published_private_one`: so with one request per round it is private with the constant of
       the repaired filter, and with the paper's (`published_private_one_paper`);
     - `published_private_delayed`: it is private against every adversary whose next request does
       not look at the output just released, whatever the number of requests.
   Guessing.v refutes it for adversaries that do look. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity LookAhead Repaired.
Import ListNotations.
Open Scope R_scope.

Section Published.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis menu_offer : forall h r y, menu ((r, Some y) :: h) = offer h r.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e dt : R.

(* P_x( r' is safe after Y_i | r^i, y^{i-1} ) for one next request r' *)
Definition psafe (x x' : Db) (h : hist Req Out) (r r' : Req) : R :=
  sumf (outs h r) (fun y => pr M x h r y * ind (safe M e dt x x' ((r, Some y) :: h) r')).

Definition check_published (th : R) (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> forall r', In r' (offer h r) -> 1 - th <= psafe x x' h r r'.

Definition published_test (th : R) (h : hist Req Out) (r : Req) : bool :=
  forallb (fun p => forallb (fun r' => Rleb (1 - th) (psafe (fst p) (snd p) h r r')) (offer h r))
    pairs.
Definition published (th : R) (N : nat) : filter Req Out :=
  lookahead (start_test menu M pairs e dt) (published_test th) N.

Lemma published_test_spec : forall th h r,
  published_test th h r = true <-> check_published th h r.
Proof.
  intros th h r. unfold published_test, check_published. rewrite forallb_forall. split.
  - intros H x x' Hp r' Hr'. specialize (H (x, x') Hp). rewrite forallb_forall in H.
    apply Rleb_true. apply (H r' Hr').
  - intros H [x x'] Hp. apply forallb_forall. intros r' Hr'. apply Rleb_true.
    apply H; assumption.
Qed.

(* ---------- few requests ---------- *)
Lemma union_bound : forall x x' h, 1 - ind (good menu M e dt x x' h) <=
  sumf (menu h) (fun r => 1 - ind (safe M e dt x x' h r)).
Proof.
  intros x x' h. unfold good. induction (menu h) as [|r l IH]; [simpl; lra|].
  rewrite sumf_cons. simpl forallb.
  destruct (safe M e dt x x' h r), (forallb (safe M e dt x x' h) l); simpl ind in *; lra.
Qed.

Lemma published_implies_repaired : forall m th h r, 0 <= th -> (length (offer h r) <= m)%nat ->
  check_published th h r -> check_repaired menu M e dt pairs (INR m * th) h r.
Proof.
  intros m th h r Hth Hm Hp x x' Hn. specialize (Hp x x' Hn).
  assert (Hbad : sumf (outs h r) (fun y => pr M x h r y - pr M x h r y *
                   ind (good menu M e dt x x' ((r, Some y) :: h)))
    <= sumf (outs h r) (fun y => sumf (offer h r)
         (fun r' => pr M x h r y - pr M x h r y * ind (safe M e dt x x' ((r, Some y) :: h) r')))).
  { apply sumf_le; intros y _.
    rewrite (sumf_ext _ (offer h r) _ (fun r' =>
      pr M x h r y * (1 - ind (safe M e dt x x' ((r, Some y) :: h) r')))) by (intros; ring).
    rewrite sumf_scal. pose proof (pr_nonneg M x h r y).
    pose proof (union_bound x x' ((r, Some y) :: h)) as U. rewrite menu_offer in U. nra. }
  rewrite sumf_swap in Hbad.
  assert (Heach : sumf (offer h r) (fun r' => sumf (outs h r) (fun y =>
      pr M x h r y - pr M x h r y * ind (safe M e dt x x' ((r, Some y) :: h) r')))
    <= sumf (offer h r) (fun _ => th)).
  { apply sumf_le; intros r' Hr'. rewrite sumf_minus, pr_sum.
    specialize (Hp r' Hr'). unfold psafe in Hp. lra. }
  rewrite sumf_const in Heach. rewrite sumf_minus, pr_sum in Hbad.
  fold (pgood menu M e dt x x' h r) in Hbad.
  assert (INR (length (offer h r)) <= INR m) by (apply le_INR; assumption).
  nra.
Qed.

Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= 1.

Theorem published_private_few : forall m th d N, 0 <= th -> INR m * th <= 1 ->
  (forall h r, (length (offer h r) <= m)%nat) ->
  1 - d <= (1 - dt) * (1 - INR m * th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (published th N) e d x x'.
Proof.
  intros m th d N Hth Hmt Hm Hd.
  apply (cautious_private offer menu_offer M pairs e dt (INR m * th)); auto.
  - pose proof (pos_INR m). nra.
  - apply start_test_spec.
  - intros h r Hc. apply published_implies_repaired; auto.
    apply published_test_spec. assumption.
Qed.

Theorem published_private_one : forall th d N, 0 <= th <= 1 ->
  (forall h r, (length (offer h r) <= 1)%nat) ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (published th N) e d x x'.
Proof.
  intros th d N Hth H1 Hd. apply (published_private_few 1); simpl; try lra; try assumption.
  rewrite Rmult_1_l. assumption.
Qed.

Corollary published_private_one_paper : forall th d N, 0 <= th <= 1 ->
  (forall h r, (length (offer h r) <= 1)%nat) -> dt + th * (1 - dt) * INR N <= d ->
  forall x x', In (x, x') pairs -> private menu M (published th N) e d x x'.
Proof.
  intros th d N Hth H1 Hd. apply published_private_one; try assumption.
  apply paper_constraint; assumption.
Qed.

(* ---------- adversaries that do not look at the last output ---------- *)
Definition delayed (A : adversary menu) : Prop := forall h r y y' r',
  adv A ((r, Some y) :: h) r' = adv A ((r, Some y') :: h) r'.

Section Delayed.
Variables th d : R.
Variable N : nat.
Hypothesis Hth : 0 <= th <= 1.
Variable A : adversary menu.
Hypothesis HA : delayed A.
Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.
Local Notation F := (published th N).
Local Notation exc := (excess M e x x').

(* what is lost after asking r at h *)
Definition turn (n : nat) (h : hist Req Out) (r : Req) : R :=
  sumf (replies outs F h r) (fun o =>
    if goes_on (F h r) then leaves outs A F n ((r, o) :: h) exc else exc ((r, o) :: h)).

Lemma exc_exceed : forall h, exc h <= like M x h * ind (exceed M e x x' h).
Proof. intros. apply excess_le_exceed. lra. Qed.

Lemma turn_le : forall n h r, turn n h r <= like M x h.
Proof.
  intros n h r. rewrite <- (like_replies outs F M x h r). apply sumf_le; intros o _.
  destruct (goes_on (F h r)); [eapply leaves_like; apply exc_exceed|].
  apply excess_le_like. lra.
Qed.

Lemma tail_bounds : forall h r, tail M e x x' h r <= dt ->
  sumf (outs h r) (fun y => exc ((r, Some y) :: h)) <= like M x h * dt.
Proof.
  intros h r Ht. apply Rle_trans with (like M x h * tail M e x x' h r).
  - unfold tail. rewrite <- sumf_scal. apply sumf_le; intros y _.
    pose proof (exc_exceed ((r, Some y) :: h)) as G. cbn [like chance] in G. lra.
  - apply Rmult_le_compat_l; [apply like_nonneg | assumption].
Qed.

Lemma next_turns : forall n h r r' c, 0 <= c -> In r' (offer h r) -> published_test th h r = true ->
  (forall y, In y (outs h r) -> tail M e x x' ((r, Some y) :: h) r' <= dt ->
     turn n ((r, Some y) :: h) r' <= like M x ((r, Some y) :: h) * (1 - c)) ->
  sumf (outs h r) (fun y => turn n ((r, Some y) :: h) r') <= like M x h * (1 - c * (1 - th)).
Proof.
  intros n h r r' c Hc Hr' Ht IH.
  apply Rle_trans with (sumf (outs h r) (fun y => like M x ((r, Some y) :: h)
    - c * like M x h * (pr M x h r y * ind (safe M e dt x x' ((r, Some y) :: h) r')))).
  - apply sumf_le; intros y Hy. destruct (safe M e dt x x' ((r, Some y) :: h) r') eqn:Es; simpl ind.
    + apply Rleb_true in Es. specialize (IH y Hy Es). cbn [like chance] in *. lra.
    + pose proof (turn_le n ((r, Some y) :: h) r'). lra.
  - rewrite sumf_minus, like_outs, sumf_scal. fold (psafe x x' h r r').
    apply published_test_spec in Ht. specialize (Ht x x' Hp r' Hr').
    pose proof (like_nonneg M x h). assert (0 <= c * like M x h) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma delayed_turn : start_test menu M pairs e dt = true -> forall m n h r,
  (length h + S m = N)%nat -> tail M e x x' h r <= dt ->
  turn n h r <= like M x h * (1 - (1 - dt) * (1 - th) ^ m).
Proof.
  intros Hs. induction m as [|m IH]; intros n h r Hl Ht.
  all: assert (Hon : start_test menu M pairs e dt && (length h <? N)%nat = true)
    by (rewrite Hs; apply Nat.ltb_lt; lia).
  - unfold turn, replies, published, lookahead. rewrite Hon.
    replace (S (length h) <? N)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
    rewrite andb_false_r. simpl. rewrite sumf_map.
    replace (1 - (1 - dt) * 1) with dt by ring. apply tail_bounds; assumption.
  - pose proof (bernoulli th m Hth) as [_ Hb]. pose proof (like_nonneg M x h) as Hw.
    set (c := (1 - dt) * (1 - th) ^ m) in *.
    assert (Hc : 0 <= c <= 1 - dt).
    { unfold c. split; [apply Rmult_le_pos; lra|].
      rewrite <- (Rmult_1_r (1 - dt)) at 2. apply Rmult_le_compat_l; lra. }
    replace ((1 - dt) * (1 - th) ^ S m) with (c * (1 - th)) by (unfold c; simpl; ring).
    assert (Hstop : sumf (outs h r) (fun y => exc ((r, Some y) :: h))
      <= like M x h * (1 - c * (1 - th))).
    { eapply Rle_trans; [apply tail_bounds; exact Ht|]. apply Rmult_le_compat_l; [assumption|].
      nra. }
    unfold turn, replies, published, lookahead. rewrite Hon.
    replace (S (length h) <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
    rewrite andb_true_r. destruct (published_test th h r) eqn:Et; simpl runs; simpl goes_on;
      cbv iota; rewrite sumf_map; [|exact Hstop].
    destruct n as [|n]; [exact Hstop|].
    destruct (outs h r) as [|y0 rest] eqn:Eo.
    { exfalso. pose proof (pr_sum M x h r) as Z. rewrite Eo in Z. simpl in Z. lra. }
    rewrite <- Eo in *. set (a := adv A ((r, Some y0) :: h)).
    rewrite (sumf_ext _ (outs h r) _ (fun y => (1 - sumf (offer h r) a) * exc ((r, Some y) :: h)
      + sumf (offer h r) (fun r' => a r' * turn n ((r, Some y) :: h) r'))).
    2:{ intros y _. cbn [leaves]. unfold stops. rewrite menu_offer.
        rewrite (sumf_ext _ (offer h r) (adv A ((r, Some y) :: h)) a)
          by (intros; unfold a; apply HA).
        f_equal. apply sumf_ext; intros r' _. unfold a. rewrite (HA h r y y0 r'). reflexivity. }
    rewrite sumf_plus, sumf_scal, sumf_swap.
    rewrite (sumf_ext _ (offer h r) (fun r' => sumf (outs h r) _) (fun r' =>
      a r' * sumf (outs h r) (fun y => turn n ((r, Some y) :: h) r')))
      by (intros; rewrite sumf_scal; reflexivity).
    pose proof (adv_sum A ((r, Some y0) :: h)) as Hsum. rewrite menu_offer in Hsum.
    apply avg_rest_le; [intros; apply adv_nonneg | exact Hsum | exact Hstop |].
    intros r' Hr'. apply next_turns; try assumption; [lra|].
    intros y Hy Hty. apply IH; [simpl; lia | exact Hty].
Qed.

Theorem published_private_delayed : 0 <= d -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall n S, prob A F M x n S <= e * prob A F M x' n S + d.
Proof.
  intros Hd0 Hd n. apply private_iff_hockey. unfold hockey.
  destruct (start_test menu M pairs e dt && (0 <? N)%nat) eqn:Eon.
  2:{ unfold published. rewrite (lookahead_idle (start_test menu M pairs e dt)); auto.
      - apply excess_nil; assumption.
      - intros r. rewrite excess_unreleased. apply excess_nil; assumption. }
  apply andb_true_iff in Eon. destruct Eon as [Es En]. apply Nat.ltb_lt in En.
  destruct n as [|n]; [simpl; rewrite excess_nil; assumption|].
  cbn [leaves]. apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | |].
  - rewrite excess_nil; assumption.
  - intros r Hr. apply start_test_spec in Es. pose proof (Es x x' Hp) as Hg.
    pose proof (good_tail _ _ _ _ _ _ _ _ Hg Hr) as Ht. apply start_test_spec in Es.
    pose proof (delayed_turn Es (N - 1) n [] r ltac:(simpl; lia) Ht) as H. simpl like in H.
    unfold turn in H. lra.
Qed.
End Delayed.
End Published.
