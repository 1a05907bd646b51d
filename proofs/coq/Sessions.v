(* Sessions: interactive mechanisms that are paid for once, each by one (eps, delta), and interleaved.

   In words: every request belongs to a session.  A session has odds, and an amount that it may still leak
   beyond them, a number per transcript: never below 1 less odds times the likelihood ratio of the
   session's own rounds, never raised by a round of another session, and on average, under x, never
   raised by a round of its own beyond what is charged for that round.  (The worst case of the session by
   itself is such an amount, charged when the session begins; whatever others answer in between counts as
   chosen by the adversary.)  A filter that runs a round only if the odds of all sessions that have begun
   multiply to at most exp(eps), and the charges add up to at most d, is (eps, d)-DP for the pair
   (x, x'), every random adaptive adversary and horizon, however the sessions are interleaved
   (`sessions_private`).  A session of one round is a round that is paid for as usual.

   For one session, pos (f - c) is what odds do not cover; for two, f F - c C is at most
   pos (f - c) F + f pos (F - C), and the other session's rounds, under x, are a strategy against it. *)
From Coq Require Import Rbase Rfunctions List Bool Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential.
Import ListNotations.
Open Scope R_scope.

Section Sessions.
Context {Db Req Out Session : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variable same : forall a b : Session, {a = b} + {a <> b}.
Variable session : hist Req Out -> Req -> Session.   (* which session a request belongs to *)
Variable odds : Session -> R.
Variable charge : hist Req Out -> Req -> R.

(* the sessions that have begun, once the request has run, and before *)
Definition begun_with (l : list Session) (s : Session) : list Session :=
  if in_dec same s l then l else s :: l.
Fixpoint begun (h : hist Req Out) : list Session :=
  match h with
  | [] => [] | (r, Some _) :: k => begun_with (begun k) (session k r) | (_, None) :: k => begun k
  end.

Fixpoint times (l : list Session) (f : Session -> R) : R :=
  match l with [] => 1 | s :: k => f s * times k f end.

Definition sessions_fit (e d : R) (h : hist Req Out) (r : Req) : Prop :=
  times (begun_with (begun h) (session h r)) odds <= e /\ total charge h + charge h r <= d.

(* the likelihood of a session's own rounds *)
Definition turn (s : Session) (h : hist Req Out) (r : Req) (p : R) : R :=
  if same s (session h r) then p else 1.
Fixpoint own (z : Db) (s : Session) (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (r, Some y) :: k => own z s k * turn s k r (pr M z k r y)
  | (_, None) :: k => own z s k
  end.

(* what a session may still leak beyond its odds *)
Definition still_leaks (x x' : Db) (left : Session -> hist Req Out -> R) : Prop :=
  (forall s h, 0 <= left s h) /\
  (forall s h, own x s h - odds s * own x' s h <= own x s h * left s h) /\
  (forall s h r, left s ((r, None) :: h) = left s h) /\
  (forall s h r y, In s (begun h) -> s <> session h r -> In y (outs h r) -> 0 < pr M x h r y ->
     left s ((r, Some y) :: h) <= left s h) /\
  (forall h r, sumf (outs h r) (fun y => pr M x h r y * left (session h r) ((r, Some y) :: h))
     <= (if in_dec same (session h r) (begun h) then left (session h r) h else 0) + charge h r).

(* ---------- products over the sessions ---------- *)
Lemma begun_once : forall h, NoDup (begun h).
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [constructor | | exact IH].
  unfold begun_with. destruct (in_dec _ _ _); [exact IH | constructor; assumption].
Qed.

Lemma times_ext : forall l f g, (forall s, In s l -> f s = g s) -> times l f = times l g.
Proof.
  induction l as [|s l IH]; simpl; intros f g H; [reflexivity|].
  rewrite (H s) by auto. rewrite (IH f g) by auto. reflexivity.
Qed.

Lemma times_nonneg : forall l f, (forall s, 0 <= f s) -> 0 <= times l f.
Proof. induction l as [|s l IH]; simpl; intros f H; [lra|]. apply Rmult_le_pos; auto. Qed.

Lemma times_turn : forall h r p l f, NoDup l -> In (session h r) l ->
  times l (fun s => f s * turn s h r p) = times l f * p.
Proof.
  intros h r p l f. induction l as [|s l IH]; intros Hn Hin; [destruct Hin|].
  inversion Hn as [|? ? Hs Hl]; subst. simpl. destruct Hin as [->|Hin].
  - unfold turn at 1. destruct (same _ _) as [_|N]; [|congruence].
    rewrite (times_ext l _ f); [ring|]. intros t Ht. unfold turn.
    destruct (same t (session h r)) as [->|_]; [contradiction | ring].
  - rewrite IH by assumption. unfold turn. destruct (same s _) as [->|_]; [contradiction | ring].
Qed.

Lemma own_new : forall z h s, ~ In s (begun h) -> own z s h = 1.
Proof.
  induction h as [|[r [y|]] h IH]; intros s Hs; simpl in *; [reflexivity | | auto].
  unfold begun_with in Hs. unfold turn.
  destruct (in_dec same (session h r) (begun h)) as [Hi|Hn];
    destruct (same s (session h r)) as [->|Hd];
    [contradiction | rewrite IH by assumption; ring | exfalso; apply Hs; left; reflexivity |].
  rewrite IH; [ring|]. intros Hin. apply Hs. right. exact Hin.
Qed.

(* what was released is what the sessions released *)
Lemma like_sessions : forall z h, like M z h = times (begun h) (fun s => own z s h).
Proof.
  intros z. induction h as [|[r [y|]] h IH]; simpl; [reflexivity | |rewrite IH; ring].
  unfold begun_with. destruct (in_dec same (session h r) (begun h)) as [Hi|Hn].
  - rewrite times_turn by (try apply begun_once; assumption). rewrite IH. ring.
  - simpl. rewrite own_new by assumption. unfold turn at 1.
    destruct (same _ _) as [_|N]; [|congruence].
    rewrite (times_ext (begun h) _ (fun s => own z s h)); [rewrite IH; ring|].
    intros t Ht. unfold turn. destruct (same t (session h r)) as [->|_]; [contradiction | ring].
Qed.

(* one session after the other leaves out at most what each leaves out *)
Lemma times_leaves_out : forall l (o f g u : Session -> R),
  (forall s, 0 <= o s) -> (forall s, 0 <= f s) -> (forall s, 0 <= g s) -> (forall s, 0 <= u s) ->
  (forall s, f s - o s * g s <= f s * u s) ->
  times l f - times l o * times l g <= times l f * sumf l u.
Proof.
  intros l o f g u Ho Hf Hg Hu H. induction l as [|s l IH]; [unfold sumf; simpl; lra|].
  rewrite sumf_cons. simpl.
  pose proof (times_nonneg l f Hf) as F0. pose proof (times_nonneg l o Ho) as O0.
  pose proof (times_nonneg l g Hg) as G0. pose proof (sumf_nonneg _ l u (fun s _ => Hu s)) as U0.
  pose proof (Ho s). pose proof (Hf s). pose proof (Hg s). pose proof (Hu s). specialize (H s).
  assert (C0 : 0 <= o s * g s) by (apply Rmult_le_pos; assumption).
  assert (R0 : 0 <= times l o * times l g) by (apply Rmult_le_pos; assumption).
  assert (FU : 0 <= times l f * sumf l u) by (apply Rmult_le_pos; assumption).
  replace (o s * times l o * (g s * times l g)) with (o s * g s * (times l o * times l g)) by ring.
  set (c := o s * g s) in *. set (r := times l o * times l g) in *.
  destruct (Rle_dec c (f s)) as [Hc|Hc].
  - apply Rle_trans with ((f s - c) * times l f + c * (times l f - r)); [right; ring|].
    assert ((f s - c) * times l f <= f s * u s * times l f)
      by (apply Rmult_le_compat_r; assumption).
    assert (c * (times l f - r) <= f s * (times l f * sumf l u)).
    { apply Rle_trans with (c * (times l f * sumf l u)).
      - apply Rmult_le_compat_l; assumption.
      - apply Rmult_le_compat_r; assumption. }
    nra.
  - assert (f s * (times l f - r) <= f s * (times l f * sumf l u))
      by (apply Rmult_le_compat_l; assumption).
    assert (0 <= f s * u s * times l f)
      by (repeat apply Rmult_le_pos; assumption).
    nra.
Qed.

(* ---------- the potential: what is left of delta, and what sessions may still leak ---------- *)
Section Pair.
Variables x x' : Db.
Variable left : Session -> hist Req Out -> R.
Hypothesis Hodds : forall s, 0 <= odds s.
Hypothesis Hleft : still_leaks x x' left.

Definition worth (d : R) (h : hist Req Out) : R :=
  like M x h * (d - total charge h + sumf (begun h) (fun s => left s h)).

Lemma own_nonneg : forall z s h, 0 <= own z s h.
Proof.
  intros z s. induction h as [|[r [y|]] h IH]; simpl; [lra | |exact IH].
  apply Rmult_le_pos; [exact IH|]. unfold turn.
  pose proof (pr_nonneg M z h r y). destruct (same _ _); lra.
Qed.

Lemma excess_worth : forall e d h, 0 <= e -> times (begun h) odds <= e -> total charge h <= d ->
  excess M e x x' h <= worth d h.
Proof.
  intros e d h He Ho Ht. destruct Hleft as (L0 & L1 & _). unfold excess, worth.
  pose proof (like_nonneg M x h) as X0. pose proof (like_nonneg M x' h) as X1.
  pose proof (sumf_nonneg _ (begun h) (fun s => left s h) (fun s _ => L0 s h)) as S0.
  assert (D0 : 0 <= like M x h * (d - total charge h)) by (apply Rmult_le_pos; lra).
  assert (P0 : 0 <= like M x h * sumf (begun h) (fun s => left s h))
    by (apply Rmult_le_pos; assumption).
  apply pos_le; [lra|].
  pose proof (times_leaves_out (begun h) odds (fun s => own x s h) (fun s => own x' s h)
    (fun s => left s h) Hodds (fun s => own_nonneg x s h) (fun s => own_nonneg x' s h)
    (fun s => L0 s h) (fun s => L1 s h)) as T.
  rewrite <- !like_sessions in T.
  assert (times (begun h) odds * like M x' h <= e * like M x' h)
    by (apply Rmult_le_compat_r; assumption).
  lra.
Qed.

Lemma sessions_step : forall h r,
  sumf (outs h r) (fun y => pr M x h r y *
      sumf (begun_with (begun h) (session h r)) (fun s => left s ((r, Some y) :: h)))
    <= sumf (begun h) (fun s => left s h) + charge h r.
Proof.
  intros h r. destruct Hleft as (L0 & _ & _ & Lother & Lown). specialize (Lown h r).
  set (A := fun s => sumf (outs h r) (fun y => pr M x h r y * left s ((r, Some y) :: h))).
  assert (Other : forall s, In s (begun h) -> s <> session h r -> A s <= left s h).
  { intros s Hs Hd. unfold A.
    apply Rle_trans with (sumf (outs h r) (fun y => pr M x h r y * left s h)).
    - apply sumf_le; intros y Hy.
      destruct (Rle_lt_or_eq_dec _ _ (pr_nonneg M x h r y)) as [Hp|Hz].
      + apply Rmult_le_compat_l; [lra | apply Lother; assumption].
      + rewrite <- Hz. lra.
    - rewrite sumf_scal_r, pr_sum. lra. }
  apply Rle_trans with (sumf (begun_with (begun h) (session h r)) A).
  - right. unfold A. rewrite sumf_swap. apply sumf_ext; intros y _. rewrite <- sumf_scal. reflexivity.
  - fold (A (session h r)) in Lown. unfold begun_with.
    destruct (in_dec same (session h r) (begun h)) as [Hi|Hn].
    + apply Rle_trans with (sumf (begun h)
        (fun s => left s h + point same (session h r) s * charge h r)).
      * apply sumf_le; intros s Hs. unfold point.
        destruct (same s (session h r)) as [->|Hd]; [lra|].
        pose proof (Other s Hs Hd). lra.
      * rewrite sumf_plus, (sumf_point same (begun h) (session h r) (fun _ => charge h r));
          [lra | apply begun_once | exact Hi].
    + rewrite sumf_cons. assert (sumf (begun h) A <= sumf (begun h) (fun s => left s h)); [|lra].
      apply sumf_le; intros s Hs. apply Other; [exact Hs|]. intros ->. contradiction.
Qed.

Lemma worth_step : forall d h r,
  sumf (outs h r) (fun y => worth d ((r, Some y) :: h)) <= worth d h.
Proof.
  intros d h r.
  set (N := fun y => sumf (begun_with (begun h) (session h r)) (fun s => left s ((r, Some y) :: h))).
  assert (Step : sumf (outs h r) (fun y => pr M x h r y * N y)
    <= sumf (begun h) (fun s => left s h) + charge h r) by exact (sessions_step h r).
  rewrite (sumf_ext _ _ _ (fun y => like M x h *
    (pr M x h r y * (d - total charge h - charge h r) + pr M x h r y * N y))).
  - rewrite sumf_scal, sumf_plus, sumf_scal_r, pr_sum. unfold worth.
    apply Rmult_le_compat_l; [apply like_nonneg | lra].
  - intros y _. unfold worth, N. simpl. ring.
Qed.
End Pair.

Theorem sessions_private : forall e d x x' left, 1 <= e -> 0 <= d -> (forall s, 0 <= odds s) ->
  still_leaks x x' left -> respects menu outs F (sessions_fit e d) -> private menu M F e d x x'.
Proof.
  intros e d x x' left He Hd Hodds Hleft HF.
  assert (Kept : forall h, reached menu outs F h -> times (begun h) odds <= e /\ total charge h <= d).
  { induction h as [|[r o] h IH]; intros Hr; [simpl; lra|]. destruct Hr as (Hr & Hin & Ho & _).
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. exact (HF h r Hr Hin Er).
    - destruct Ho as [<-|[]]. exact (IH Hr). }
  apply (majorant_private menu M F e x x' d (worth x left d)); [assumption|].
  split; [unfold worth; unfold sumf; simpl; lra|]. split; [|split].
  - intros h Hr. destruct (Kept h Hr). apply excess_worth; [assumption | assumption | lra | assumption | assumption].
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Ho Ht].
    eapply Rle_trans; [|apply (worth_step x x' left Hleft d h r)].
    apply sumf_le; intros y _. destruct (goes_on (F h r)); [lra|].
    apply excess_worth; [assumption | assumption | lra | assumption | assumption].
  - intros h r _ _ _. destruct Hleft as (_ & _ & L2 & _). unfold worth. simpl. rewrite Rmult_1_r.
    right. f_equal. f_equal. apply sumf_ext; intros s _. apply L2.
Qed.
End Sessions.
