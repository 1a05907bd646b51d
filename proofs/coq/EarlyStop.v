(* Stopping early can break the bound on the tail, though not privacy.

   In words: the proof of Theorem 1 bounds P_x(realised loss > eps) by delta, which is stronger than
   (eps, delta)-DP.  The repaired rule keeps that bound against adversaries that go on asking
   (`repaired_tail`), but not against one that stops where the loss is high: in a game of two rounds
   with e^eps = 2, delta-tilde = delta = 1/2, theta = 0 and N = 2 the tail reaches 3/4
   (`early_stop_breaks_tail`), while the filter is (eps, 1/2)-DP here as everywhere
   (`early_stop_is_private`). *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Audit LookAhead Repaired.
Import ListNotations.
Open Scope R_scope.

Definition s_menu (_ : hist unit nat) : list unit := [tt].
Definition s_outs (_ : hist unit nat) (_ : unit) : list nat := [0; 1; 2]%nat.
(* round 1 says 0 with probability 1/2 under true and 1/8 under false; after a 0, the output 0 takes
   the loss back to eps and 1 reveals; after a 1 comes an erasure with probability 1/2 *)
Definition s_law (x : bool) (h : hist unit nat) : R * R * R :=
  match h, x with
  | [], true => (1/2, 1/2, 0)
  | [], false => (1/8, 7/8, 0)
  | (_, Some O) :: _, true => (1/2, 1/2, 0)
  | (_, Some O) :: _, false => (1, 0, 0)
  | _, true => (1/2, 0, 1/2)
  | _, false => (0, 1/2, 1/2)
  end.
Definition s_pr (x : bool) (h : hist unit nat) (_ : unit) (y : nat) : R :=
  match y with
  | O => fst (fst (s_law x h))
  | 1%nat => snd (fst (s_law x h))
  | 2%nat => snd (s_law x h)
  | _ => 0
  end.

Lemma s_nonneg : forall x h r y, 0 <= s_pr x h r y.
Proof. intros [|] [|[r1 [[|k]|]] h] r [|[|[|y]]]; simpl; lra. Qed.
Lemma s_sum : forall x h r, sumf (s_outs h r) (s_pr x h r) = 1.
Proof. intros [|] [|[r1 [[|k]|]] h] r; unfold sumf; simpl; lra. Qed.
Definition swing : mechanism bool s_outs := Build_mechanism _ _ bool s_outs s_pr s_nonneg s_sum.
Definition s_pairs : list (bool * bool) := [(true, false); (false, true)].
Definition s_filter : filter unit nat := repaired s_menu swing s_pairs 2 (1/2) 0 2.

(* the adversary stops after a 0 *)
Definition s_pick (h : hist unit nat) : option unit :=
  match h with (_, Some O) :: _ => None | _ => Some tt end.
Lemma s_nodup : forall h, NoDup (s_menu h).
Proof. intros. repeat constructor; auto. Qed.
Definition stopper : adversary s_menu :=
  follow (fun a b : unit => match a, b with tt, tt => left eq_refl end) s_nodup s_pick
    (fun h r _ => match r with tt => or_introl eq_refl end).

Lemma s_tail : forall x h, (h = [] \/ exists y, In y [0; 1; 2]%nat /\ h = [(tt, Some y)]) ->
  tail swing 2 x (negb x) h tt <= 1/2.
Proof.
  intros x h Hh. unfold tail, exceed, Rltb, s_outs.
  destruct Hh as [->|[y [[<-|[<-|[<-|[]]]] ->]]];
  destruct x; unfold sumf; simpl; repeat (destruct (Rlt_dec _ _)); simpl; lra.
Qed.

Lemma s_good : forall x x' h, In (x, x') s_pairs ->
  (h = [] \/ exists y, In y [0; 1; 2]%nat /\ h = [(tt, Some y)]) ->
  good s_menu swing 2 (1/2) x x' h = true.
Proof.
  intros x x' h Hp Hh. replace x' with (negb x)
    by (destruct Hp as [E|[E|[]]]; inversion E; reflexivity).
  unfold good. simpl. rewrite andb_true_r. apply Rleb_true. apply s_tail; assumption.
Qed.

Lemma s_start : start_test s_menu swing s_pairs 2 (1/2) = true.
Proof. apply start_test_spec. intros x x' Hp. apply s_good; auto. Qed.

Lemma s_first : s_filter [] tt = Continue.
Proof.
  unfold s_filter, repaired, lookahead. rewrite s_start.
  replace (repaired_test s_menu swing s_pairs 2 (1/2) 0 [] tt) with true; [reflexivity|].
  symmetry. apply repaired_test_spec. intros x x' Hp. unfold pgood.
  rewrite (sumf_ext _ _ _ (pr swing x [] tt)); [rewrite pr_sum; lra|].
  intros y Hy. rewrite s_good; [simpl; ring | assumption | right; exists y; auto].
Qed.

Lemma s_second : forall o, s_filter [(tt, o)] tt = Last.
Proof.
  intros. unfold s_filter, repaired, lookahead. rewrite s_start. simpl.
  rewrite andb_false_r. reflexivity.
Qed.

Theorem early_stop_breaks_tail :
  prob stopper s_filter swing true 2 (exceed swing 2 true false) = 3/4.
Proof.
  unfold prob. cbn [law]. unfold stopper at 1 2. rewrite follow_turn. cbn [s_pick].
  unfold replies at 1. rewrite s_first. cbn [runs goes_on]. rewrite sumf_map.
  change (s_outs [] tt) with [0; 1; 2]%nat. rewrite !sumf_cons. cbv beta.
  unfold stopper. rewrite !follow_turn. cbn [s_pick]. unfold replies. rewrite !s_second.
  cbn [runs goes_on]. rewrite !sumf_map.
  assert (E : exceed swing 2 true false [(tt, Some 0%nat)] = true /\
    exceed swing 2 true false [(tt, Some 0%nat); (tt, Some 1%nat)] = true /\
    exceed swing 2 true false [(tt, Some 1%nat); (tt, Some 1%nat)] = false /\
    exceed swing 2 true false [(tt, Some 2%nat); (tt, Some 1%nat)] = false).
  { unfold exceed. rewrite !Rltb_true, !Rltb_false. simpl. lra. }
  destruct E as (E0 & E1 & E2 & E3).
  change (s_outs [(tt, Some 1%nat)] tt) with [0; 1; 2]%nat.
  change (s_outs [(tt, Some 2%nat)] tt) with [0; 1; 2]%nat.
  rewrite !sumf_cons. cbv beta. rewrite E0, E1, E2, E3. simpl. field.
Qed.

Theorem early_stop_is_private : forall x x', In (x, x') s_pairs ->
  private s_menu swing s_filter 2 (1/2) x x'.
Proof.
  intros x x' Hp.
  apply (repaired_private s_menu swing s_pairs 2 (1/2) 0 (1/2) 2) with (offer := fun _ _ => [tt]);
    simpl; auto; lra.
Qed.
