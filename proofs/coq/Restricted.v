(* Look-ahead with announced menus: the curator says which requests it will answer next.

   In words: together with going on after round i the filter announces, from what it knows before y_i
   is drawn, the requests that it will run in round i+1.  An output is good for a pair if no announced
   request overshoots eps with probability above dt.  Keep, per pair that is still possible, the
   product of the probabilities that the outputs so far were good.  If only announced requests are
   run, every first one is safe, and the filter goes on only where (1 - dt) times that product stays
   at least 1 - d (or nothing is on offer next), it is (eps, d)-DP for every random adaptive adversary,
   horizon and answers (`announced_private`).  A refused request changes nothing.

     - `restricted_product_private`: that is the product rule with announcements;
     - `restricted_private`: th and N in place of the product, with the sharp constant;
     - `product_private`, `repaired_live_private` (`_paper`): everything on offer is announced, which is the
       product rule, and the repaired rule tested on the pairs that are still possible only. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity LookAhead Repaired Potential.
Import ListNotations.
Open Scope R_scope.

Section Announced.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
(* the next menu may depend on everything but the output just released *)
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis blind : forall h r y, menu ((r, Some y) :: h) = offer h r.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e dt d : R.
Variable first : list Req.                                  (* announced before round 1 *)
Variable announced : hist Req Out -> Req -> list Req.        (* announced with round i *)

(* the requests that may be run at a transcript *)
Fixpoint allowed (h : hist Req Out) : list Req :=
  match h with
  | [] => first
  | (r, Some _) :: k => announced k r
  | (_, None) :: k => allowed k
  end.

(* a refused request leaves the menu and the mechanisms as they were *)
Definition refusal_inert : Prop := forall h r, F h r = Refuse ->
  menu ((r, None) :: h) = menu h /\
  forall q, outs ((r, None) :: h) q = outs h q /\
    forall x y, pr M x ((r, None) :: h) q y = pr M x h q y.
Hypothesis inert : refusal_inert.

Section Pair.
Variables x x' : Db.
Definition fine (h : hist Req Out) : bool := good allowed M e dt x x' h.
Definition pfine (h : hist Req Out) (r : Req) : R := pgood allowed M e dt x x' h r.
Definition stands (h : hist Req Out) : R := survival allowed M e dt x x' h.

(* what is asked of a round that runs *)
Definition announces : Prop := forall h r, reached menu outs F h -> In r (menu h) ->
  runs (F h r) = true -> In r (allowed h) /\
  (goes_on (F h r) = true -> offer h r = [] \/
     (announced h r <> [] /\ (0 < like M x h -> 1 - d <= (1 - dt) * (stands h * pfine h r)))).

Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= d.
Hypothesis Hd : d < 1.
Hypothesis start : fine [] = true.
Hypothesis HF : announces.
Local Notation exc := (excess M e x x').

Lemma fine_unreleased : forall h r, F h r = Refuse -> fine ((r, None) :: h) = fine h.
Proof.
  intros h r E. destruct (inert h r E) as [_ Hq]. unfold fine, good. cbn [allowed].
  assert (S : forall q, safe M e dt x x' ((r, None) :: h) q = safe M e dt x x' h q).
  { intros q. destruct (Hq q) as [Ho Hpr]. unfold safe, tail. rewrite Ho. f_equal.
    apply sumf_ext; intros y _. rewrite Hpr. f_equal. unfold exceed. cbn [like chance].
    rewrite !Hpr, !Rmult_1_r. reflexivity. }
  induction (allowed h) as [|q l IH]; [reflexivity|]. simpl. rewrite S, IH. reflexivity.
Qed.

(* while something is on offer: the product is large enough, and a request is announced or
   nothing was released yet *)
Lemma reached_inv : forall h, reached menu outs F h -> 0 < like M x h -> menu h <> [] ->
  1 - d <= (1 - dt) * stands h /\ (allowed h <> [] \/ exc h = 0).
Proof.
  induction h as [|[r o] h IH]; intros Hr Hl Hm.
  - unfold stands; simpl. split; [lra|]. right. apply excess_nil; assumption.
  - destruct Hr as (Hr & Hin & Ho & Hg). pose proof (like_parent M x h r o Hl) as Hl'.
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    + apply in_map_iff in Ho. destruct Ho as [y [<- _]]. rewrite blind in Hm.
      destruct (HF h r Hr Hin Er) as [_ Hgo]. destruct (Hgo Hg) as [E|[Ha Hs]]; [contradiction|].
      split; [apply Hs; assumption | left; exact Ha].
    + destruct Ho as [<-|[]]. assert (EF : F h r = Refuse) by (destruct (F h r); easy).
      rewrite (proj1 (inert h r EF)) in Hm. rewrite excess_unreleased. apply IH; assumption.
Qed.

Definition bound_ahead (h : hist Req Out) : R :=
  match menu h with
  | [] => exc h
  | _ => if fine h then like M x h * (1 - (1 - d) / stands h) else like M x h
  end.

Lemma stands_pos : forall h, 1 - d <= (1 - dt) * stands h -> 0 < stands h.
Proof. intros h H. pose proof (survival_range allowed M e dt x x' h). fold (stands h) in H0. nra. Qed.

(* stopping at a fine transcript costs at most dt *)
Lemma room_enough : forall h, 1 - d <= (1 - dt) * stands h ->
  like M x h * dt <= like M x h * (1 - (1 - d) / stands h).
Proof.
  intros h H. pose proof (stands_pos h H). apply Rmult_le_compat_l; [apply like_nonneg|].
  assert ((1 - d) / stands h <= 1 - dt); [|lra].
  apply (Rmult_le_reg_r (stands h)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma outputs_cost : forall h r, fine h = true -> In r (allowed h) ->
  sumf (outs h r) (fun y => exc ((r, Some y) :: h)) <= like M x h * dt.
Proof.
  intros h r Hg Hr. pose proof (good_tail _ _ _ _ _ _ _ _ Hg Hr) as Ht.
  apply Rle_trans with (like M x h * tail M e x x' h r).
  - unfold tail. rewrite <- sumf_scal. apply sumf_le; intros y _.
    pose proof (excess_le_exceed M e x x' ((r, Some y) :: h) ltac:(lra)) as G.
    cbn [like chance] in G. lra.
  - apply Rmult_le_compat_l; [apply like_nonneg | assumption].
Qed.

Lemma excess_step : forall h r, exc h <= sumf (outs h r) (fun y => exc ((r, Some y) :: h)).
Proof. intros h r. pose proof (ucharge_nonneg M e x x' h r) as U. unfold ucharge in U. lra. Qed.

Lemma live_or_zero : forall h, 0 < like M x h \/ like M x h = 0.
Proof. intros h. pose proof (like_nonneg M x h). lra. Qed.

Lemma excess_ahead : forall h, reached menu outs F h -> exc h <= bound_ahead h.
Proof.
  intros h Hr. unfold bound_ahead. destruct (menu h) as [|m0 ms] eqn:Em; [lra|].
  pose proof (excess_le_like M e x x' h ltac:(lra)) as Hle.
  destruct (fine h) eqn:Ef; [|exact Hle]. destruct (live_or_zero h) as [Hl|Hz]; [|rewrite Hz in *; lra].
  destruct (reached_inv h Hr Hl ltac:(congruence)) as [Hs Ha].
  eapply Rle_trans; [|apply room_enough; assumption]. destruct Ha as [Ha|Ha].
  - destruct (allowed h) as [|r l] eqn:E; [contradiction|].
    eapply Rle_trans; [apply (excess_step h r)|]. apply outputs_cost; [assumption|].
    rewrite E. left; reflexivity.
  - rewrite Ha. apply Rmult_le_pos; lra.
Qed.

Lemma bound_le_like : forall h, reached menu outs F h -> bound_ahead h <= like M x h.
Proof.
  intros h Hr. unfold bound_ahead. destruct (menu h) as [|m0 ms] eqn:Em.
  - apply excess_le_like; lra.
  - destruct (fine h); [|lra]. destruct (live_or_zero h) as [Hl|Hz]; [|rewrite Hz; lra].
    destruct (reached_inv h Hr Hl ltac:(congruence)) as [Hs _]. pose proof (stands_pos h Hs).
    assert (0 <= (1 - d) / stands h)
      by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; assumption]).
    nra.
Qed.

(* the last output, or one after which nothing is on offer *)
Lemma last_ahead : forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
  sumf (outs h r) (fun y => exc ((r, Some y) :: h)) <= bound_ahead h.
Proof.
  intros h r Hr Hin Er. unfold bound_ahead. destruct (menu h) as [|m0 ms] eqn:Em; [destruct Hin|].
  rewrite <- Em in Hin.
  assert (All : sumf (outs h r) (fun y => exc ((r, Some y) :: h)) <= like M x h).
  { rewrite <- (like_outs M x h r). apply sumf_le; intros. apply excess_le_like; lra. }
  destruct (fine h) eqn:Ef; [|exact All].
  destruct (live_or_zero h) as [Hl|Hz]; [|rewrite Hz in *; lra].
  destruct (reached_inv h Hr Hl ltac:(congruence)) as [Hs _].
  eapply Rle_trans; [|apply room_enough; assumption].
  apply outputs_cost; [assumption | apply HF; assumption].
Qed.

(* good outputs share what is left, bad ones count in full *)
Lemma next_ahead : forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
  goes_on (F h r) = true -> sumf (outs h r) (fun y => bound_ahead ((r, Some y) :: h)) <= bound_ahead h.
Proof.
  intros h r Hr Hin Er Hg. destruct (HF h r Hr Hin Er) as [Hal Hgo].
  destruct (Hgo Hg) as [E|[Ha Hs]].
  - eapply Rle_trans; [|apply (last_ahead h r Hr Hin Er)]. apply sumf_le; intros y _.
    unfold bound_ahead. rewrite blind, E. apply Rle_refl.
  - assert (Next : forall y, In y (outs h r) -> reached menu outs F ((r, Some y) :: h))
      by (intros y Hy; simpl; unfold replies; rewrite Er; auto using in_map).
    assert (All : sumf (outs h r) (fun y => bound_ahead ((r, Some y) :: h)) <= like M x h).
    { rewrite <- (like_outs M x h r). apply sumf_le; intros y Hy. apply bound_le_like; auto. }
    unfold bound_ahead at 2. destruct (menu h) as [|m0 ms] eqn:Em; [destruct Hin|]. rewrite <- Em in Hin.
    destruct (fine h) eqn:Ef; [|exact All].
    destruct (live_or_zero h) as [Hl|Hz]; [|rewrite Hz in *; lra].
    destruct (reached_inv h Hr Hl ltac:(congruence)) as [Hsh _]. specialize (Hs Hl).
    pose proof (stands_pos h Hsh) as Hq. set (q := stands h) in *.
    assert (Hpf : 0 < pfine h r).
    { pose proof (pgood_range allowed M e dt x x' h r). fold (pfine h r) in H. nra. }
    set (c := (1 - d) / (q * pfine h r)).
    assert (Hoff : offer h r <> [] -> forall y, In y (outs h r) -> bound_ahead ((r, Some y) :: h) <=
      like M x ((r, Some y) :: h) - c * like M x h * (pr M x h r y * ind (fine ((r, Some y) :: h)))).
    { intros Hne y Hy. unfold bound_ahead. rewrite blind. destruct (offer h r); [contradiction|].
      change (stands ((r, Some y) :: h)) with (q * pfine h r). fold c.
      destruct (fine ((r, Some y) :: h)); simpl; lra. }
    destruct (offer h r) as [|o os] eqn:Eo.
    { eapply Rle_trans; [|apply (Rle_trans _ _ _ (last_ahead h r Hr Hin Er))].
      - apply sumf_le; intros y _. unfold bound_ahead. rewrite blind, Eo. apply Rle_refl.
      - unfold bound_ahead. rewrite Em, Ef. apply Rle_refl. }
    eapply Rle_trans; [apply sumf_le; apply Hoff; discriminate|].
    rewrite sumf_minus, like_outs, sumf_scal. fold (pfine h r).
    change (sumf (outs h r) (fun y => pr M x h r y * ind (fine ((r, Some y) :: h)))) with (pfine h r).
    right. unfold c. field. lra.
Qed.

Theorem pair_private : private menu M F e d x x'.
Proof.
  apply (majorant_private menu M F e x x' d bound_ahead); [assumption|].
  split; [|split; [exact excess_ahead|split]].
  - unfold bound_ahead. destruct (menu []); [rewrite excess_nil; lra|]. rewrite start.
    unfold stands. simpl. lra.
  - intros h r Hr Hin Er. destruct (goes_on (F h r)) eqn:Eg; [apply next_ahead | apply last_ahead]; auto.
  - intros h r Hr Hin E. unfold bound_ahead. rewrite fine_unreleased by assumption.
    rewrite (proj1 (inert h r E)), excess_unreleased. cbn [like chance]. rewrite Rmult_1_r.
    change (stands ((r, None) :: h)) with (stands h). apply Rle_refl.
Qed.
End Pair.
End Announced.

(* ---------- the filters, for any list of pairs ---------- *)
Section Filters.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis blind : forall h r y, menu ((r, Some y) :: h) = offer h r.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variables e dt d : R.
Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= d.
Hypothesis inert : refusal_inert menu M F.

Section Menus.
Variable first : list Req.
Variable announced : hist Req Out -> Req -> list Req.
Local Notation may := (allowed first announced).

(* every first request is safe for every pair *)
Definition first_safe : Prop := forall x x', In (x, x') pairs -> good may M e dt x x' [] = true.
(* the product of the probabilities of good outputs, this round's included, for the live pairs *)
Definition product_kept (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h ->
  1 - d <= (1 - dt) * (survival may M e dt x x' h * pgood may M e dt x x' h r).
(* run what was announced, and nothing if a first request is unsafe; go on only where `test` allows
   it, with something announced next *)
Definition announces_if (test : hist Req Out -> Req -> Prop) (h : hist Req Out) (r : Req) : Prop :=
  first_safe /\ In r (may h) /\
  (goes_on (F h r) = true -> offer h r = [] \/ (announced h r <> [] /\ test h r)).

Theorem restricted_product_private : respects menu outs F (announces_if product_kept) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros HF x x' Hp. destruct (Rlt_le_dec d 1) as [Hd|Hd]; [|apply trivially_private; assumption].
  destruct (good may M e dt x x' []) eqn:Es.
  - apply (pair_private menu offer blind M F e dt d first announced inert); auto.
    intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as (_ & H1 & H2). split; [exact H1|].
    intros Hg. destruct (H2 Hg) as [E|[Ha Ht]]; [left; exact E|]. right. split; [exact Ha|].
    intros Hl. apply (Ht x x' Hp Hl).
  - apply idle_private; [assumption | lra |]. intros h r Hr Hin Er.
    destruct (HF h r Hr Hin Er) as (Hs & _). rewrite (Hs x x' Hp) in Es. discriminate.
Qed.

(* good with probability at least 1 - th for the live pairs, and another round is left *)
Definition theta_kept (th : R) (N : nat) (h : hist Req Out) (r : Req) : Prop :=
  (S (rounds h) < N)%nat /\ forall x x', In (x, x') pairs -> 0 < like M x h ->
  1 - th <= pgood may M e dt x x' h r.

Theorem restricted_private : forall th N, 0 <= th <= 1 -> dt <= 1 ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  respects menu outs F (announces_if (theta_kept th N)) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros th N Hth Hdt1 Hsharp HF. apply restricted_product_private.
  assert (Low : forall h, reached menu outs F h -> menu h <> [] -> forall x x', In (x, x') pairs ->
    0 < like M x h -> (1 - th) ^ (rounds h) <= survival may M e dt x x' h).
  { induction h as [|[r o] h IH]; intros Hr Hm x x' Hp Hl; [simpl; lra|].
    destruct Hr as (Hr & Hin & Ho & Hg). pose proof (like_parent M x h r o Hl) as Hl'.
    assert (Hm' : menu h <> []) by (intros E; rewrite E in Hin; destruct Hin).
    specialize (IH Hr Hm' x x' Hp Hl').
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. rewrite blind in Hm.
      destruct (HF h r Hr Hin Er) as (_ & _ & Hgo). destruct (Hgo Hg) as [E|[_ [_ Ht]]]; [contradiction|].
      specialize (Ht x x' Hp Hl'). pose proof (bernoulli th (rounds h) Hth).
      pose proof (survival_range may M e dt x x' h). simpl. nra.
    - destruct Ho as [<-|[]]. exact IH. }
  intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as (H0 & H1 & H2).
  split; [exact H0|]. split; [exact H1|].
  intros Hg. destruct (H2 Hg) as [E|[Ha [HN Ht]]]; [left; exact E|]. right. split; [exact Ha|].
  intros x x' Hp Hl. specialize (Ht x x' Hp Hl).
  assert (Hm : menu h <> []) by (intros E; rewrite E in Hin; destruct Hin).
  pose proof (Low h Hr Hm x x' Hp Hl) as Hlow. pose proof (bernoulli th (rounds h) Hth) as [_ Hb].
  assert (Hpow : (1 - th) ^ (N - 1) <= (1 - th) ^ (S (rounds h)))
    by (apply pow_antitone; [assumption | lia]).
  simpl in Hpow.
  assert ((1 - th) * (1 - th) ^ rounds h
    <= survival may M e dt x x' h * pgood may M e dt x x' h r) by nra.
  nra.
Qed.
End Menus.

(* ---------- everything on offer is announced ---------- *)
Local Notation all := (allowed (menu []) offer).
(* run only if the first requests are safe; go on only where the test passes *)
Definition goes_on_if (test : hist Req Out -> Req -> Prop) (h : hist Req Out) (r : Req) : Prop :=
  first_safe (menu []) offer /\ (goes_on (F h r) = true -> test h r).

Lemma all_is_menu : forall h, reached menu outs F h -> all h = menu h.
Proof.
  induction h as [|[r o] h IH]; intros Hr; [reflexivity|]. destruct Hr as (Hr & _ & Ho & Hg).
  unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
  - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. rewrite blind. reflexivity.
  - destruct Ho as [<-|[]]. assert (EF : F h r = Refuse) by (destruct (F h r); easy).
    rewrite (proj1 (inert h r EF)). apply IH; assumption.
Qed.

Lemma goes_on_announces : forall test, respects menu outs F (goes_on_if test) ->
  respects menu outs F (announces_if (menu []) offer test).
Proof.
  intros test HF h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Hs Ht]. split; [exact Hs|].
  split; [rewrite all_is_menu; assumption|]. intros Hg. specialize (Ht Hg).
  destruct (offer h r) eqn:E; [left; reflexivity | right]. split; [discriminate | exact Ht].
Qed.

Theorem product_private : respects menu outs F (goes_on_if (product_kept (menu []) offer)) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof. intros HF. apply (restricted_product_private (menu []) offer), goes_on_announces, HF. Qed.

Theorem repaired_live_private : forall th N, 0 <= th <= 1 -> dt <= 1 ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  respects menu outs F (goes_on_if (theta_kept (menu []) offer th N)) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros th N Hth Hdt1 Hsharp HF.
  apply (restricted_private (menu []) offer th N); auto using goes_on_announces.
Qed.

(* the same under the constraint of Algorithm 1, which implies the sharp one *)
Theorem repaired_live_private_paper : forall th N, 0 <= th <= 1 -> dt <= 1 ->
  dt + th * (1 - dt) * INR N <= d ->
  respects menu outs F (goes_on_if (theta_kept (menu []) offer th N)) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros th N Hth Hdt1 Hpaper. apply repaired_live_private; [assumption | assumption |].
  apply paper_constraint; lra.
Qed.
End Filters.
