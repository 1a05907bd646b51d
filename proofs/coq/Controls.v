(* Controls: what goes wrong without a hypothesis.

   In words: each theorem here takes one condition away from a result of the other files and
   refutes what is left.
     - `eps_nonneg_needed`: with e + d < 1 nothing at all is private;
     - `start_check_needed`: a look-ahead filter that skips the test before the first request
       releases a full reveal;
     - `naive_refuted`: the naive rule of the paper, which checks each round's overshoot against
       delta and forgets what earlier rounds risked, is not (eps, delta)-DP (erasure 1/4, then 1/3,
       delta = 1/3 reaches 1/2 in two rounds).
   The other controls stand where they belong: `published_refuted` (requests outside the
   probability), `sharp_constant` (a smaller constant), `unconditional_converse_refuted`. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit LookAhead Compensator Recycling.
Import ListNotations.
Open Scope R_scope.

(* ---------- eps >= 0 ---------- *)
Theorem eps_nonneg_needed : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) (F : filter Req Out) e d x x',
  e + d < 1 -> ~ private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs M F e d x x' Hed Hp.
  assert (H0 : forall h, sumf (menu h) (fun _ => 0) <= 1) by (intros; rewrite sumf_zero; lra).
  set (A := Build_adversary _ _ menu (fun _ _ => 0) (fun _ _ => Rle_refl 0) H0).
  specialize (Hp A O (fun _ => true)).
  rewrite !total_probability in Hp. lra.
Qed.

(* an adversary that has one request and sends it *)
Section Insists.
Context {Out : Type}.
Variable menu : hist unit Out -> list unit.
Hypothesis only : forall h, menu h = [tt].
Lemma only_nodup : forall h, NoDup (menu h).
Proof. intros. rewrite only. repeat constructor; auto. Qed.
Lemma only_in : forall h r, Some tt = Some r -> In r (menu h).
Proof. intros h [] _. rewrite only. left; reflexivity. Qed.
Definition insists : adversary menu :=
  follow (fun a b : unit => match a, b with tt, tt => left eq_refl end) only_nodup
    (fun _ => Some tt) only_in.
End Insists.

(* ---------- the test before the first request ---------- *)
Definition b_menu (_ : hist unit bool) : list unit := [tt].
Definition b_outs (_ : hist unit bool) (_ : unit) : list bool := [true; false].
Definition b_pr (x : bool) (_ : hist unit bool) (_ : unit) (y : bool) : R := ind (eqb x y).
Lemma b_nonneg : forall x h r y, 0 <= b_pr x h r y.
Proof. intros; apply ind_range. Qed.
Lemma b_sum : forall x h r, sumf (b_outs h r) (b_pr x h r) = 1.
Proof. intros [|] h r; unfold sumf, b_outs, b_pr; simpl; lra. Qed.
Definition revealing : mechanism bool b_outs := Build_mechanism _ _ bool b_outs b_pr b_nonneg b_sum.

Theorem start_check_needed : forall e d, d < 1 -> forall cont,
  ~ private b_menu revealing (lookahead true cont 1) e d true false.
Proof.
  intros e d Hd cont Hp. set (F := lookahead true cont 1) in *.
  assert (EF : F [] tt = Last) by (unfold F, lookahead; simpl; rewrite andb_false_r; reflexivity).
  set (A := insists b_menu (fun _ => eq_refl)).
  specialize (Hp A 1%nat (fun h => match h with (_, Some true) :: _ => true | _ => false end)).
  assert (V : forall x, prob A F revealing x 1
            (fun h => match h with (_, Some true) :: _ => true | _ => false end) = ind x).
  { intros x. unfold prob. cbn [law]. unfold A, insists. rewrite follow_turn. unfold replies.
    rewrite EF. cbn [runs goes_on]. unfold sumf. simpl. unfold b_pr.
    destruct x; simpl; lra. }
  rewrite !V in Hp. simpl in Hp. lra.
Qed.

(* ---------- the naive rule ---------- *)
Section Naive.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.
Variable pairs : list (Db * Db).

(* halt if some pair's loss would exceed eps with probability above d *)
Definition naive (d : R) : filter Req Out := fun h r =>
  if each_live M pairs (fun x x' => Rleb (tail M e x x' h r) d) h then Continue else Halt.
End Naive.

Lemma er_tail : forall e x, 1 <= e ->
  tail erasure e x (negb x) [] tt <= 1/4 /\ tail erasure e x (negb x) blank1 tt <= 1/3.
Proof.
  intros e x He. unfold tail, er_outs, exceed, blank1, Rltb.
  destruct x; unfold sumf; simpl; split; repeat (destruct (Rlt_dec _ _)); simpl; lra.
Qed.

(* whatever lets both erasures run on the silent branch reaches 1/2 in two rounds *)
Theorem two_erasures_refuted : forall e (F : filter unit sym), 1 <= e ->
  F [] tt = Continue -> F blank1 tt = Continue -> ~ private er_menu erasure F e (1/3) true false.
Proof.
  intros e F He E0 E1 Hp. set (A := insists er_menu (fun _ => eq_refl)).
  specialize (Hp A 2%nat). apply private_iff_hockey in Hp.
  rewrite identity in Hp by assumption.
  assert (T : forall n h, charges A F erasure e true false (S n) h =
    toll F erasure e true false h tt + sumf (replies er_outs F h tt) (fun o =>
      if goes_on (F h tt) then charges A F erasure e true false n ((tt, o) :: h) else 0)).
  { intros n h. cbn [charges].
    assert (S0 : forall v, v = stops A h * 0 + v) by (intros; ring).
    rewrite (S0 (sumf (er_menu h) _)). unfold A at 1 2. unfold insists.
    rewrite follow_turn. reflexivity. }
  assert (Hlast : ucharge erasure e true false blank1 tt
    <= charges A F erasure e true false 1 blank1).
  { rewrite T. unfold toll. rewrite E1. cbn [runs goes_on].
    rewrite <- (Rplus_0_r (ucharge _ _ _ _ _ _)) at 1. apply Rplus_le_compat_l.
    apply sumf_nonneg; intros. apply charges_nonneg. }
  assert (He0 : 0 <= e) by lra.
  rewrite T in Hp. unfold toll, replies in Hp. rewrite E0 in Hp.
  simpl runs in Hp. simpl goes_on in Hp. cbv iota in Hp. rewrite sumf_map in Hp.
  pose proof (sumf_member _ (er_outs [] tt)
    (fun y => charges A F erasure e true false 1 [(tt, Some y)]) Blank
    (fun y _ => charges_nonneg _ _ _ _ _ _ _ _) ltac:(simpl; auto)) as Hb. cbv beta in Hb.
  fold blank1 in Hb. destruct (er_charge e true He) as [C0 C1]. simpl negb in *.
  rewrite <- (charge_spec erasure e true false [] tt He0), C0 in Hp.
  rewrite <- (charge_spec erasure e true false blank1 tt He0), C1, er_like in Hlast.
  simpl like in Hp. lra.
Qed.

Theorem naive_refuted : forall e, 1 <= e ->
  ~ private er_menu erasure (naive erasure e [(true, false); (false, true)] (1/3))
      e (1/3) true false.
Proof.
  intros e He. set (F := naive erasure e [(true, false); (false, true)] (1/3)).
  assert (Hneg : forall x x', In (x, x') [(true, false); (false, true)] -> x' = negb x).
  { intros x x' [E|[E|[]]]; inversion E; reflexivity. }
  apply two_erasures_refuted; [assumption | |]; unfold F, naive;
  rewrite (proj2 (each_live_spec _ _ _ _)); try reflexivity;
  intros x x' Hin _; rewrite (Hneg x x' Hin); apply Rleb_true; pose proof (er_tail e x He); lra.
Qed.
