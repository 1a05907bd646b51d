(* The repaired filter is private, with the sharp constant and with the paper's.

   In words: Algorithm 1 with the requests put inside the probability.  If another request is
   taken only where, for every ordered pair, the output is good (no request on offer next
   overshoots eps with probability above dt) with probability at least 1 - th, if the first is
   taken only where every first request is safe, and if at most N outputs are released, then for
   every random adaptive adversary
     - `repaired_private`: the filter is (eps, d)-DP for every event, wherever the adversary stops,
     - `repaired_tail`: P_x(realised loss > eps) <= d, if the adversary does not stop early,
   for every d with (1 - dt)(1 - th)^(N-1) >= 1 - d, the sharp constant, and hence
     - `repaired_private_paper`: for every d >= dt + th (1 - dt) N, the paper's constraint.

   `cautious_private` is the same for every look-ahead filter whose tests imply the checks: a
   filter that overestimates the risk stays private. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity LookAhead.
Import ListNotations.
Open Scope R_scope.

(* ---------- every filter whose tests imply the checks ---------- *)
Section Cautious.
Context {Db Req Out : Type} {menu : hist Req Out -> list Req}.
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis menu_offer : forall h r y, menu ((r, Some y) :: h) = offer h r.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e dt th d : R.
Variable start : bool.
Variable cont : hist Req Out -> Req -> bool.
Variable N : nat.
Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= 1.
Hypothesis Hth : 0 <= th <= 1.
Hypothesis start_sound : start = true -> check_start menu M e dt pairs.
Hypothesis cont_sound : forall h r, cont h r = true -> check_repaired menu M e dt pairs th h r.
Local Notation F := (lookahead start cont N).

Lemma reached_continued : forall h r o, reached menu outs F ((r, o) :: h) ->
  reached menu outs F h /\ cont h r = true /\ exists y, o = Some y.
Proof.
  intros h r o (Hr & _ & Ho & Hg). split; [exact Hr|]. unfold replies, lookahead in *.
  destruct (start && (length h <? N)%nat); [|discriminate].
  destruct (cont h r); [|discriminate]. split; [reflexivity|].
  destruct (S (length h) <? N)%nat; [|discriminate].
  simpl in Ho. apply in_map_iff in Ho. destruct Ho as [y [<- _]]. eauto.
Qed.

Lemma survival_lower : forall x x' h, In (x, x') pairs -> reached menu outs F h ->
  (1 - th) ^ (length h) <= survival menu M e dt x x' h.
Proof.
  intros x x' h Hp. induction h as [|[r o] h IH]; intros Hr; [simpl; lra|].
  destruct (reached_continued h r o Hr) as (Hr' & Hc & y & ->). simpl.
  specialize (IH Hr'). specialize (cont_sound h r Hc x x' Hp).
  pose proof (bernoulli th (length h) Hth). pose proof (survival_range menu M e dt x x' h). nra.
Qed.

Lemma theta_keeps_ledger : forall x x', In (x, x') pairs ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) -> ledger_kept (menu := menu) M e dt d start cont N x x'.
Proof.
  intros x x' Hp Hd h r Hr Hl _ Hc.
  pose proof (survival_lower x x' h Hp Hr) as Hs. pose proof (cont_sound h r Hc x x' Hp) as Hg.
  pose proof (bernoulli th (length h) Hth) as [_ Hb].
  assert (Hpow : (1 - th) ^ (N - 1) <= (1 - th) ^ (S (length h)))
    by (apply pow_antitone; [assumption | lia]).
  simpl in Hpow.
  assert ((1 - th) * (1 - th) ^ length h
    <= survival menu M e dt x x' h * pgood menu M e dt x x' h r) by nra.
  nra.
Qed.

Theorem cautious_private : 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros Hd x x' Hp. pose proof (bernoulli th (N - 1) Hth) as [_ Hb].
  apply (ledger_private offer menu_offer M e dt); auto; try nra.
  - intros Hs. apply start_sound; assumption.
  - apply theta_keeps_ledger; assumption.
Qed.

Theorem cautious_tail : 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> forall (A : adversary menu) n, persistent A -> (N <= n)%nat ->
  prob A F M x n (exceed M e x x') <= d.
Proof.
  intros Hd x x' Hp A n HA Hn. pose proof (bernoulli th (N - 1) Hth) as [_ Hb].
  apply (ledger_tail offer menu_offer M e dt); auto; try nra.
  - intros Hs. apply start_sound; assumption.
  - apply theta_keeps_ledger; assumption.
Qed.

End Cautious.

(* ---------- the filter itself ---------- *)
Section Repaired.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e dt th d : R.
Variable N : nat.

Definition start_test : bool := forallb (fun p => good menu M e dt (fst p) (snd p) []) pairs.
Definition repaired_test (h : hist Req Out) (r : Req) : bool :=
  forallb (fun p => Rleb (1 - th) (pgood menu M e dt (fst p) (snd p) h r)) pairs.
Definition repaired : filter Req Out := lookahead start_test repaired_test N.

Lemma start_test_spec : start_test = true <-> check_start menu M e dt pairs.
Proof.
  unfold start_test, check_start. rewrite forallb_forall. split.
  - intros H x x' Hp. apply (H (x, x') Hp).
  - intros H [x x'] Hp. apply H; assumption.
Qed.

Lemma repaired_test_spec : forall h r,
  repaired_test h r = true <-> check_repaired menu M e dt pairs th h r.
Proof.
  intros h r. unfold repaired_test, check_repaired. rewrite forallb_forall. split.
  - intros H x x' Hp. apply Rleb_true. apply (H (x, x') Hp).
  - intros H [x x'] Hp. apply Rleb_true. apply H; assumption.
Qed.

Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= 1.
Hypothesis Hth : 0 <= th <= 1.
Variable offer : hist Req Out -> Req -> list Req.
Hypothesis menu_offer : forall h r y, menu ((r, Some y) :: h) = offer h r.

Theorem repaired_private : 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M repaired e d x x'.
Proof.
  apply (cautious_private offer menu_offer M pairs e dt); auto.
  - apply start_test_spec.
  - apply repaired_test_spec.
Qed.

Theorem repaired_tail : 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> forall (A : adversary menu) n, persistent A -> (N <= n)%nat ->
  prob A repaired M x n (exceed M e x x') <= d.
Proof.
  apply (cautious_tail offer menu_offer M pairs e dt); auto.
  - apply start_test_spec.
  - apply repaired_test_spec.
Qed.

(* the paper's parameter constraint implies the sharp one *)
Lemma paper_constraint : dt + th * (1 - dt) * INR N <= d -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1).
Proof.
  intros H. pose proof (bernoulli th (N - 1) Hth) as [Hb _].
  assert (INR (N - 1) <= INR N) by (apply le_INR; lia).
  assert (0 <= th * (1 - dt)) by nra. nra.
Qed.

Theorem repaired_private_paper : dt + th * (1 - dt) * INR N <= d ->
  forall x x', In (x, x') pairs -> private menu M repaired e d x x'.
Proof. intros Hd. apply repaired_private. apply paper_constraint. assumption. Qed.
End Repaired.
