(* The audit is exact and complete: one backward pass decides privacy against every adversary.

   In words: let V(h) be the larger of the excess at h and the best request's sum of V over what
   may follow.  A filter is (eps, d)-DP for the pair up to horizon N, against every random
   adaptive adversary, exactly if V at the empty transcript is at most d (`audit_exact`); a
   deterministic adversary attains V (`worst_attained`); and the worst expected sum of charges is
   the same number (`audit_by_charges`).

   `budgets_complete`: a filter is private up to the horizon exactly if budgets exist that are
   never negative, start at d at most, and pay for each round in expectation. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity.
Import ListNotations.
Open Scope R_scope.

(* ---------- adversaries that do not randomise ---------- *)
Section Follow.
Context {Req Out : Type} {menu : hist Req Out -> list Req}.
Variable Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis menu_nodup : forall h, NoDup (menu h).
Variable pick : hist Req Out -> option Req.            (* None: stop *)
Hypothesis pick_in : forall h r, pick h = Some r -> In r (menu h).

Definition follows (h : hist Req Out) (r : Req) : R :=
  match pick h with Some a => point Req_eq a r | None => 0 end.

Lemma follows_nonneg : forall h r, 0 <= follows h r.
Proof. intros; unfold follows. destruct (pick h); [apply point_nonneg | lra]. Qed.

Lemma follows_sum : forall h, sumf (menu h) (follows h) <= 1.
Proof.
  intros h. unfold follows. destruct (pick h) as [a|] eqn:E.
  - right. apply sumf_point1; auto.
  - rewrite sumf_zero. lra.
Qed.

Definition follow : adversary menu := Build_adversary _ _ menu follows follows_nonneg follows_sum.

Lemma follow_turn : forall h f v, stops follow h * v + sumf (menu h) (fun r => adv follow h r * f r)
  = match pick h with Some a => f a | None => v end.
Proof.
  intros h f v. unfold stops. change (adv follow) with follows. unfold follows.
  destruct (pick h) as [a|] eqn:E.
  - change (fun r => point Req_eq a r) with (point Req_eq a).
    rewrite (sumf_point1 Req_eq (menu h) a) by auto.
    rewrite (sumf_point Req_eq (menu h) a f) by auto. ring.
  - rewrite sumf_zero, (sumf_ext _ _ _ (fun _ => 0)) by (intros; ring).
    rewrite sumf_zero. ring.
Qed.
End Follow.

Section Audit.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variable e : R.
Variables x x' : Db.
Local Notation exc := (excess M e x x').

(* value of a choice, when v values the transcripts at which the game goes on *)
Definition ask (v : hist Req Out -> R) (h : hist Req Out) (c : option Req) : R :=
  match c with
  | None => exc h
  | Some r => sumf (replies outs F h r) (fun o =>
      if goes_on (F h r) then v ((r, o) :: h) else exc ((r, o) :: h))
  end.

Definition best (v : hist Req Out -> R) (h : hist Req Out) : option Req :=
  argmax (ask v h) None (map Some (menu h)).

Fixpoint worst (n : nat) (h : hist Req Out) : R :=
  match n with
  | O => exc h
  | S n' => ask (worst n') h (best (worst n') h)
  end.

Lemma best_in : forall v h r, best v h = Some r -> In r (menu h).
Proof.
  intros v h r Hb. unfold best in Hb.
  destruct (argmax_spec (ask v h) (map Some (menu h)) None) as [[H|H] _]; [congruence|].
  rewrite Hb in H. apply in_map_iff in H. destruct H as [a [E Ha]]. congruence.
Qed.

Lemma best_max : forall v h r, In r (menu h) -> ask v h (Some r) <= ask v h (best v h).
Proof.
  intros v h r Hr. apply (argmax_spec (ask v h) (map Some (menu h)) None).
  apply in_map; assumption.
Qed.

Lemma best_stop : forall v h, exc h <= ask v h (best v h).
Proof. intros v h. apply (argmax_spec (ask v h) (map Some (menu h)) None). Qed.

Theorem worst_upper : forall (A : adversary menu) n h, leaves outs A F n h exc <= worst n h.
Proof.
  induction n as [|n IH]; intros h; cbn [leaves worst]; [lra|].
  apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | apply best_stop |].
  intros r Hr. eapply Rle_trans; [|apply best_max; exact Hr].
  apply sumf_le; intros o _. destruct (goes_on (F h r)); [apply IH | lra].
Qed.

(* ---------- the worst adversary for horizon N ---------- *)
Variable Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis menu_nodup : forall h, NoDup (menu h).
Variable N : nat.

Definition foe (h : hist Req Out) : option Req := best (worst (N - S (length h))) h.
Definition worst_adversary : adversary menu :=
  follow Req_eq menu_nodup foe (fun h r E => best_in _ h r E).

Lemma worst_attained_from : forall n h, (length h + n = N)%nat ->
  leaves outs worst_adversary F n h exc = worst n h.
Proof.
  induction n as [|n IH]; intros h Hl; [reflexivity|]. cbn [leaves worst].
  unfold worst_adversary. rewrite follow_turn. fold worst_adversary.
  unfold foe. replace (N - S (length h))%nat with n by lia.
  destruct (best (worst n) h) as [r|]; [|reflexivity].
  apply sumf_ext; intros o _. destruct (goes_on (F h r)); [|reflexivity].
  apply IH. simpl; lia.
Qed.

Theorem worst_attained : hockey worst_adversary F M e x x' N = worst N [].
Proof. apply worst_attained_from; reflexivity. Qed.

Theorem audit_exact : forall d,
  (forall (A : adversary menu) S, prob A F M x N S <= e * prob A F M x' N S + d)
  <-> worst N [] <= d.
Proof.
  intros d. rewrite <- worst_attained. split.
  - intros H. apply private_iff_hockey. apply H.
  - intros H A. apply private_iff_hockey. rewrite worst_attained in H.
    eapply Rle_trans; [apply worst_upper | exact H].
Qed.

Theorem audit_by_charges : 1 <= e ->
  worst N [] = charges worst_adversary F M e x x' N [] /\
  forall A : adversary menu, charges A F M e x x' N [] <= worst N [].
Proof.
  intros He. split.
  - rewrite <- identity by assumption. symmetry. apply worst_attained.
  - intros A. rewrite <- identity by assumption. apply worst_upper.
Qed.

(* ---------- the complete family of private filters ---------- *)
Definition budget_upto (d : R) (U : hist Req Out -> R) : Prop :=
  U [] <= d /\
  (forall h, reached menu outs F h -> (length h <= N)%nat -> 0 <= U h) /\
  (forall h r, reached menu outs F h -> (length h < N)%nat -> In r (menu h) ->
     toll F M e x x' h r + sumf (replies outs F h r) (fun o =>
       if goes_on (F h r) then U ((r, o) :: h) else 0) <= U h).

Lemma worst_ge : forall n h, exc h <= worst n h.
Proof. intros [|n] h; [apply Rle_refl | apply best_stop]. Qed.

Theorem budgets_complete : forall d, 1 <= e ->
  (forall (A : adversary menu) S, prob A F M x N S <= e * prob A F M x' N S + d)
  <-> exists U, budget_upto d U.
Proof.
  intros d He. split.
  - rewrite audit_exact. intros Hw.
    exists (fun h => worst (N - length h) h - exc h). split; [|split].
    + simpl length. rewrite Nat.sub_0_r, excess_nil by assumption. lra.
    + intros h _ _. pose proof (worst_ge (N - length h) h). lra.
    + intros h r _ Hl Hr. simpl length.
      replace (N - length h)%nat with (S (N - S (length h))) by lia.
      pose proof (best_max (worst (N - S (length h))) h r Hr) as Hb.
      cbn [worst]. unfold ask at 1 in Hb. rewrite toll_replies.
      rewrite (sumf_ext _ (replies outs F h r) (fun o => if goes_on (F h r) then _ else 0) (fun o =>
        (if goes_on (F h r) then worst (N - S (length h)) ((r, o) :: h) else exc ((r, o) :: h))
        - exc ((r, o) :: h))) by (intros; destruct (goes_on (F h r)); ring).
      rewrite sumf_minus. lra.
  - intros [U (H0 & Hpos & Hstep)] A. apply private_iff_hockey.
    rewrite identity by assumption. eapply Rle_trans; [|exact H0].
    assert (G : forall n h, (length h + n = N)%nat -> reached menu outs F h ->
              charges A F M e x x' n h <= U h).
    { induction n as [|n IH]; intros h Hl Hr; cbn [charges]; [apply Hpos; [assumption | lia]|].
      rewrite <- (Rplus_0_l (sumf _ _)), <- (Rmult_0_r (1 - sumf (menu h) (adv A h))).
      apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum |
        apply Hpos; [assumption | lia] |].
      intros r Hin. eapply Rle_trans; [|apply (Hstep h r); auto; lia].
      apply Rplus_le_compat_l. apply sumf_le; intros o Ho.
      destruct (goes_on (F h r)) eqn:Eg; [|lra]. apply IH; simpl; [lia | auto]. }
    apply G; [reflexivity | exact I].
Qed.
End Audit.
