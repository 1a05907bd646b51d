(* The look-ahead filter, with a ledger in place of theta and N.

   In words: at round i a look-ahead filter decides, before y_i is drawn, whether a further request
   will be taken; y_i is released either way.  Call an output good for a pair if no request on
   offer next overshoots eps with probability above dt (delta-tilde).  Keep, per pair, the product
   of the probabilities that the outputs so far were good.  If another request is taken only where
   (1 - dt) times that product stays at least 1 - d, and the first only where every first request
   is safe, then for every adversary and horizon
     - `ledger_private`: the filter is (eps, d)-DP, wherever the adversary stops,
     - `ledger_tail`: P_x(realised loss > eps) <= d, if the adversary does not stop early.

   Algorithm 1 with its fixed theta and N is in Repaired.v. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity.
Import ListNotations.
Open Scope R_scope.

(* release y_i in any case; take a further request only where the test passes *)
Definition lookahead {Req Out : Type} (start : bool) (cont : hist Req Out -> Req -> bool)
    (N : nat) : filter Req Out :=
  fun h r => if start && (length h <? N)%nat
             then if cont h r && (S (length h) <? N)%nat then Continue else Last
             else Halt.

(* an adversary that goes on asking while there is something to ask *)
Definition persistent {Req Out : Type} {menu : hist Req Out -> list Req}
    (A : adversary menu) : Prop := forall h, menu h <> [] -> stops A h = 0.

(* ---------- what is checked ---------- *)
Section Checks.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variables e dt : R.

(* P_x( L_{i+1} > eps - l^(i) | r^{i+1}, y^i ) *)
Definition tail (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  sumf (outs h r) (fun y => pr M x h r y * ind (exceed M e x x' ((r, Some y) :: h))).

Definition safe (x x' : Db) (h : hist Req Out) (r : Req) : bool := Rleb (tail x x' h r) dt.
Definition good (x x' : Db) (h : hist Req Out) : bool := forallb (safe x x' h) (menu h).

(* P_x( Y_i is good | r^i, y^{i-1} ): the requests are inside the probability *)
Definition pgood (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  sumf (outs h r) (fun y => pr M x h r y * ind (good x x' ((r, Some y) :: h))).

Variable pairs : list (Db * Db).
Definition check_start : Prop := forall x x', In (x, x') pairs -> good x x' [] = true.
Definition check_repaired (th : R) (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 1 - th <= pgood x x' h r.

Lemma pgood_range : forall x x' h r, 0 <= pgood x x' h r <= 1.
Proof.
  intros; unfold pgood; split.
  - apply sumf_nonneg; intros y _. apply Rmult_le_pos; [apply pr_nonneg | apply ind_range].
  - apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply ind_range].
Qed.

Lemma good_tail : forall x x' h r, good x x' h = true -> In r (menu h) -> tail x x' h r <= dt.
Proof.
  intros x x' h r Hg Hr. unfold good in Hg. rewrite forallb_forall in Hg.
  apply Rleb_true. apply Hg; assumption.
Qed.

(* the realised probability that no output so far was bad *)
Fixpoint survival (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (r, Some _) :: k => survival x x' k * pgood x x' k r
  | (_, None) :: k => survival x x' k
  end.

Lemma survival_range : forall x x' h, 0 <= survival x x' h <= 1.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. pose proof (pgood_range x x' h r). nra.
Qed.
End Checks.

(* ---------- the bound ---------- *)
Section Bound.
Context {Db Req Out : Type} {menu : hist Req Out -> list Req}.
(* the next menu may depend on everything but the output just released; a request that is closed
   after some output is the silent mechanism there *)
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis menu_offer : forall h r y, menu ((r, Some y) :: h) = offer h r.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variables e dt d : R.
Variable start : bool.
Variable cont : hist Req Out -> Req -> bool.
Variable N : nat.
Variables x x' : Db.
Local Notation F := (lookahead start cont N).
Local Notation Good := (good menu M e dt x x').
Local Notation Surv := (survival menu M e dt x x').
Local Notation PGood := (pgood menu M e dt x x').

Section Leaf.
Variable A : adversary menu.
(* what is counted at the end: the excess, or the mass with loss above eps *)
Variable g : hist Req Out -> R.
Hypothesis g_exceed : forall h, g h <= like M x h * ind (exceed M e x x' h).

(* stopping early is harmless for g, or does not happen *)
Definition patient (n : nat) (h : hist Req Out) : Prop :=
  (forall k, Good k = true -> menu k <> [] -> g k <= like M x k * dt) \/
  (persistent A /\ (N <= length h + n)%nat).

Lemma g_like : forall h, g h <= like M x h.
Proof.
  intros h. pose proof (g_exceed h). pose proof (ind_range (exceed M e x x' h)).
  pose proof (like_nonneg M x h). nra.
Qed.

Lemma leaves_like : forall n h, leaves outs A F n h g <= like M x h.
Proof.
  intros n h. eapply Rle_trans; [apply leaves_le; intros k; apply g_like|].
  rewrite (leaves_ext outs A F n h _ (fun k => like M x k * 1)) by (intros; ring).
  rewrite leaves_law, law_const. lra.
Qed.

Lemma leaves_end : forall n h, menu h = [] -> leaves outs A F n h g = g h.
Proof.
  intros [|n] h Hm; [reflexivity|]. cbn [leaves]. unfold stops. rewrite Hm. simpl. ring.
Qed.

Lemma last_round : forall h r, Good h = true -> In r (menu h) ->
  sumf (outs h r) (fun y => g ((r, Some y) :: h)) <= like M x h * dt.
Proof.
  intros h r Hg Hr. pose proof (good_tail _ _ _ _ _ _ _ _ Hg Hr) as Ht.
  apply Rle_trans with (like M x h * tail M e x x' h r).
  - unfold tail. rewrite <- sumf_scal. apply sumf_le; intros y _.
    pose proof (g_exceed ((r, Some y) :: h)) as G. cbn [like chance] in G. lra.
  - apply Rmult_le_compat_l; [apply like_nonneg | assumption].
Qed.

(* one round after which another request is taken: good outputs by induction, bad ones in full *)
Lemma going_on : forall n h r q, 0 < q -> 0 <= 1 - d ->
  (forall y, In y (outs h r) -> Good ((r, Some y) :: h) = true ->
     (1 - d) * like M x ((r, Some y) :: h) <=
     q * (like M x ((r, Some y) :: h) - leaves outs A F n ((r, Some y) :: h) g)) ->
  sumf (outs h r) (fun y => leaves outs A F n ((r, Some y) :: h) g)
  <= like M x h * (1 - (1 - d) / q * PGood h r).
Proof.
  intros n h r q Hq Hd IH.
  apply Rle_trans with (sumf (outs h r) (fun y => like M x ((r, Some y) :: h)
    - (1 - d) / q * like M x h * (pr M x h r y * ind (Good ((r, Some y) :: h))))).
  - apply sumf_le; intros y Hy. pose proof (leaves_like n ((r, Some y) :: h)) as Hl.
    destruct (Good ((r, Some y) :: h)) eqn:Eg; simpl ind; [|lra].
    specialize (IH y Hy Eg). set (w := like M x ((r, Some y) :: h)) in *.
    set (v := leaves outs A F n ((r, Some y) :: h) g) in *.
    replace ((1 - d) / q * like M x h * (pr M x h r y * 1)) with ((1 - d) / q * w)
      by (unfold w; cbn [like chance]; ring).
    assert ((1 - d) / q * w <= w - v); [|lra].
    apply (Rmult_le_reg_l q); [assumption|].
    replace (q * ((1 - d) / q * w)) with ((1 - d) * w) by (field; lra). assumption.
  - rewrite sumf_minus, like_outs, sumf_scal. unfold pgood. right. ring.
Qed.

Lemma ledger_step : forall n h, d < 1 -> start = true -> reached menu outs F h ->
  (length h < N)%nat -> patient n h ->
  (forall k r, reached menu outs F k -> (S (length k) < N)%nat -> In r (menu k) ->
     cont k r = true -> 1 - d <= (1 - dt) * (Surv k * PGood k r)) ->
  menu h <> [] -> Good h = true -> 1 - d <= (1 - dt) * Surv h ->
  (1 - d) * like M x h <= Surv h * (like M x h - leaves outs A F n h g).
Proof.
  intros n h Hd Hs Hre Hlen Hpat Hc. revert h Hre Hlen Hpat.
  induction n as [|n IH]; intros h Hre Hlen Hpat Hm Hg Hv;
  pose proof (survival_range menu M e dt x x' h) as Hsv; pose proof (like_nonneg M x h) as Hw.
  { destruct Hpat as [Hp|[_ Hp]]; [|lia]. specialize (Hp h Hg Hm). cbn [leaves].
    assert (Surv h * (like M x h * dt) >= Surv h * g h) by nra. nra. }
  assert (Hpos : 0 < Surv h).
  { destruct (Rle_lt_dec (Surv h) 0) as [Z|Z]; [|exact Z].
    replace (Surv h) with 0 in Hv by lra. lra. }
  set (C := like M x h * (1 - (1 - d) / Surv h)).
  assert (Hq : Surv h * ((1 - d) / Surv h) = 1 - d) by (field; lra).
  assert (Hdt : like M x h * dt <= C).
  { unfold C. apply Rmult_le_compat_l; [assumption|].
    assert ((1 - d) / Surv h <= 1 - dt) by (apply (Rmult_le_reg_l (Surv h)); lra). lra. }
  enough (leaves outs A F (S n) h g <= C) by (unfold C in *; nra).
  cbn [leaves].
  assert (Hstop : stops A h * g h <= stops A h * C).
  { destruct Hpat as [Hp|[Hp _]]; [|rewrite (Hp h Hm); lra].
    apply Rmult_le_compat_l; [apply stops_nonneg|]. specialize (Hp h Hg Hm). lra. }
  assert (Hturn : forall r, In r (menu h) -> sumf (replies outs F h r) (fun o =>
      if goes_on (F h r) then leaves outs A F n ((r, o) :: h) g else g ((r, o) :: h)) <= C).
  { intros r Hr. unfold replies.
    destruct (cont h r && (S (length h) <? N)%nat) eqn:Eb.
    - assert (EF : F h r = Continue)
        by (unfold lookahead; rewrite Hs, Eb; apply Nat.ltb_lt in Hlen; rewrite Hlen; reflexivity).
      rewrite EF. simpl. rewrite sumf_map.
      apply andb_true_iff in Eb. destruct Eb as [Ec El]. apply Nat.ltb_lt in El.
      destruct (offer h r) as [|r' rest] eqn:Eo.
      + rewrite (sumf_ext _ _ _ (fun y => g ((r, Some y) :: h))).
        * pose proof (last_round h r Hg Hr). lra.
        * intros y _. apply leaves_end. rewrite menu_offer. exact Eo.
      + pose proof (Hc h r Hre El Hr Ec) as Hcr.
        pose proof (pgood_range menu M e dt x x' h r) as Hpg.
        assert (Hpq : 0 < Surv h * PGood h r).
        { destruct (Rle_lt_dec (Surv h * PGood h r) 0) as [Z|Z]; [|exact Z].
          assert (0 <= Surv h * PGood h r) by (apply Rmult_le_pos; lra).
          replace (Surv h * PGood h r) with 0 in Hcr by lra. lra. }
        eapply Rle_trans; [apply (going_on n h r (Surv h * PGood h r)); [assumption | lra |]|].
        * intros y Hy Egy. change (Surv h * PGood h r) with (Surv ((r, Some y) :: h)).
          apply IH; [|simpl; lia | | | exact Egy | exact Hcr].
          -- cbn [reached]. unfold replies. rewrite EF. simpl. auto using in_map.
          -- destruct Hpat as [Hp|[Hp Hl]]; [left; exact Hp|].
             right. split; [exact Hp | simpl length; lia].
          -- rewrite menu_offer, Eo. discriminate.
        * unfold C. right. assert (PGood h r <> 0) by (intro Z; rewrite Z in Hpq; lra).
          field. split; lra.
    - assert (EF : F h r = Last)
        by (unfold lookahead; rewrite Hs, Eb; apply Nat.ltb_lt in Hlen; rewrite Hlen; reflexivity).
      rewrite EF. simpl. rewrite sumf_map. pose proof (last_round h r Hg Hr). lra. }
  assert (Hall : sumf (menu h) (fun r => adv A h r * sumf (replies outs F h r) (fun o =>
      if goes_on (F h r) then leaves outs A F n ((r, o) :: h) g else g ((r, o) :: h)))
    <= sumf (menu h) (fun r => adv A h r * C)).
  { apply sumf_le; intros r Hr. apply Rmult_le_compat_l; [apply adv_nonneg | auto]. }
  rewrite sumf_scal_r in Hall. unfold stops in *. lra.
Qed.

Lemma lookahead_idle : forall n, start && (0 <? N)%nat = false -> g [] = 0 ->
  (forall r, g [(r, None)] = 0) -> leaves outs A F n [] g = 0.
Proof.
  intros [|n] Hoff H0 H1; cbn [leaves]; [assumption|].
  rewrite (sumf_ext _ _ _ (fun _ => 0)); [rewrite sumf_zero, H0; ring|].
  intros r _. unfold replies, lookahead. simpl length. rewrite Hoff. simpl.
  rewrite H1. ring.
Qed.

Lemma ledger_bound : forall n, g [] = 0 -> (forall r, g [(r, None)] = 0) -> 0 <= d ->
  patient n [] -> (start = true -> Good [] = true) -> dt <= d ->
  (forall k r, reached menu outs F k -> (S (length k) < N)%nat -> In r (menu k) ->
     cont k r = true -> 1 - d <= (1 - dt) * (Surv k * PGood k r)) ->
  leaves outs A F n [] g <= d.
Proof.
  intros n H0 H1 Hd0 Hpat Hs Hdt Hc.
  destruct (Rlt_le_dec d 1) as [Hd|Hd].
  2:{ pose proof (leaves_like n []) as H. simpl in H. lra. }
  destruct (start && (0 <? N)%nat) eqn:Eon; [|rewrite lookahead_idle by assumption; assumption].
  apply andb_true_iff in Eon. destruct Eon as [Es En]. apply Nat.ltb_lt in En.
  destruct (menu []) as [|r0 rest] eqn:Em; [rewrite leaves_end by assumption; lra|].
  pose proof (ledger_step n [] Hd Es I En Hpat Hc) as H. simpl in H.
  rewrite Em in H. specialize (H ltac:(discriminate) (Hs Es) ltac:(lra)). lra.
Qed.
End Leaf.

Hypothesis He : 1 <= e.

(* the ledger: continue while (1 - dt) * (realised product of good probabilities) >= 1 - d *)
Definition ledger_kept : Prop := forall h r, reached menu outs F h -> (S (length h) < N)%nat ->
  In r (menu h) -> cont h r = true -> 1 - d <= (1 - dt) * (Surv h * PGood h r).

Lemma excess_patient : forall A n h, patient A (excess M e x x') n h.
Proof.
  intros A n h. left. intros k Hg Hm. destruct (menu k) as [|r rest] eqn:Em; [congruence|].
  assert (Hr : In r (menu k)) by (rewrite Em; left; reflexivity).
  pose proof (ucharge_nonneg M e x x' k r) as Hu. unfold ucharge in Hu.
  assert (He0 : 0 <= e) by lra.
  pose proof (last_round (excess M e x x') (fun k => excess_le_exceed M e x x' k He0) k r Hg Hr).
  lra.
Qed.

Theorem ledger_private : dt <= d -> 0 <= d -> (start = true -> Good [] = true) -> ledger_kept ->
  private menu M F e d x x'.
Proof.
  intros Hdt Hd Hs Hc A n. apply private_iff_hockey. assert (He0 : 0 <= e) by lra.
  apply ledger_bound; auto.
  - intros k. apply excess_le_exceed; assumption.
  - apply excess_nil; assumption.
  - intros r. rewrite excess_unreleased. apply excess_nil; assumption.
  - apply excess_patient.
Qed.

Theorem ledger_tail : dt <= d -> 0 <= d -> (start = true -> Good [] = true) -> ledger_kept ->
  forall (A : adversary menu) n, persistent A -> (N <= n)%nat ->
  prob A F M x n (exceed M e x x') <= d.
Proof.
  intros Hdt Hd Hs Hc A n HA Hn. unfold prob. rewrite <- (Rmult_1_l (law _ _ _ _ _ _ _)).
  change 1 with (like M x []). rewrite <- leaves_law.
  assert (Z : forall h, like M x h = 1 -> like M x' h = 1 ->
            like M x h * ind (exceed M e x x' h) = 0).
  { intros h E E'. unfold exceed. rewrite E, E'.
    replace (Rltb (e * 1) 1) with false; [simpl; ring|]. symmetry. apply Rltb_false. lra. }
  apply ledger_bound; auto.
  - intros k. apply Rle_refl.
  - intros r. apply Z; simpl; ring.
  - right. split; [assumption | simpl; assumption].
Qed.
End Bound.
