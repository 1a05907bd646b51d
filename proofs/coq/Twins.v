(* Twins: filters next to the proved ones that are not private.

   In words: two erasures, 1/4 and then 1/3, reach 1/2 (`two_erasures_refuted` in Controls.v), so for
   d = 1/3 every rule that admits both is refuted:
     - `full_floor_refuted`: a second phase that gets all of d again, after a filter that is private;
     - `lower_bound_refuted`: charging half of what a round costs;
     - `uncounted_rounds_refuted`: the naive rule at delta/N without counting the rounds.
   `compensator_first_refuted`: the floor in the other order; a round that the compensator runs for
   nothing, then one that a mechanism-level filter, which has not seen the first, admits.
   `per_round_delta_refuted` is in Additive.v, `naive_refuted` in Controls.v, `published_refuted` in
   Guessing.v.  `refund_refuted`: a potential that a refusal may raise pays for a filter that is not
   private. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit Compensator LookAhead Recycling Controls
  Potential Bounds Phases Leak Additive.
Import ListNotations.
Open Scope R_scope.

Definition both : list (bool * bool) := [(true, false); (false, true)].
Lemma both_negb : forall x x', In (x, x') both -> x' = negb x.
Proof. intros x x' [E|[E|[]]]; inversion E; reflexivity. Qed.

(* ---------- the floor with all of d for the second phase ---------- *)
Definition one_round : filter unit sym := fun h _ => match h with [] => Continue | _ => Halt end.
Definition after_blank : filter unit sym := fun h _ =>
  match h with [(_, Some Blank)] => Continue | _ => Halt end.

Lemma one_round_private : forall e x x', 1 <= e -> In (x, x') both ->
  private er_menu erasure one_round e (1/3) x x'.
Proof.
  intros e x x' He Hp. apply spending_private; [assumption | lra |]. intros h r _ _ Er _.
  destruct h as [|a h]; [|discriminate]. rewrite (both_negb x x' Hp). destruct r.
  simpl spent. destruct (er_charge e x He) as [H _]. lra.
Qed.

Theorem full_floor_refuted : forall e, 1 <= e ->
  (forall x x', In (x, x') both -> private er_menu erasure one_round e (1/3) x x') /\
  (forall h r, runs (after_blank h r) = true -> floor_fits erasure both one_round e (1/3) h r) /\
  ~ private er_menu erasure (in_turn one_round after_blank) e (1/3) true false.
Proof.
  intros e He. split; [intros; apply one_round_private; assumption|]. split.
  - intros h [] Er. destruct h as [|[[] [[| |]|]] [|b h]]; try discriminate. intros x x' Hp _.
    rewrite (both_negb x x' Hp). destruct (er_charge e x He) as [_ H].
    change [(tt, Some Blank)] with blank1. rewrite H. simpl. lra.
  - apply two_erasures_refuted; [assumption | reflexivity | reflexivity].
Qed.

(* ---------- a lower bound of the charge ---------- *)
Definition half_charge (e : R) (x x' : bool) (h : hist unit sym) (r : unit) : R :=
  charge erasure e x x' h r / 2.
Definition two_rounds : filter unit sym := fun h _ =>
  match h with [] => Continue | [(_, Some Blank)] => Continue | _ => Halt end.

Lemma two_rounds_where : forall (test : hist unit sym -> unit -> Prop), test [] tt -> test blank1 tt ->
  respects er_menu er_outs two_rounds test.
Proof.
  intros test H0 H1 h [] _ _ Er. destruct h as [|[[] [[| |]|]] [|b h]]; try discriminate; assumption.
Qed.

Lemma two_rounds_refuted : forall e, 1 <= e -> ~ private er_menu erasure two_rounds e (1/3) true false.
Proof. intros. apply two_erasures_refuted; [assumption | reflexivity | reflexivity]. Qed.

Theorem lower_bound_refuted : forall e, 1 <= e ->
  respects er_menu er_outs two_rounds (over_fits erasure (1/3) both (half_charge e)) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof.
  intros e He. split; [|apply two_rounds_refuted; assumption].
  apply two_rounds_where; intros x x' Hp _; rewrite (both_negb x x' Hp);
  destruct (er_charge e x He) as [H0 H1]; unfold half_charge.
  - simpl over_spent. rewrite H0. lra.
  - unfold blank1 at 1. cbn [over_spent]. fold blank1. rewrite H0, H1. lra.
Qed.

(* ---------- the naive rule at delta/N for more than N rounds ---------- *)
Theorem uncounted_rounds_refuted : forall e, 1 <= e ->
  respects er_menu er_outs two_rounds (fun h r => forall x x', In (x, x') both ->
    0 < like erasure x h -> tail erasure e x x' h r * INR 1 <= 1/3) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof.
  intros e He. split; [|apply two_rounds_refuted; assumption].
  apply two_rounds_where; intros x x' Hp _; rewrite (both_negb x x' Hp); simpl INR;
  destruct (er_tail e x He); lra.
Qed.

(* ---------- a potential that a refusal raises ---------- *)
Definition refund : filter unit sym := fun h _ =>
  match h with
  | [] => Continue
  | [(_, Some Blank)] => Refuse
  | [(_, None); (_, Some Blank)] => Continue
  | _ => Halt
  end.
Definition refunded (h : hist unit sym) : R :=
  match h with [] => 1/3 | [(_, None); (_, Some Blank)] => 1/3 | _ => 0 end.
Definition blank_asked : hist unit sym := [(tt, None); (tt, Some Blank)].

Lemma asked_ucharge : forall e, 1 <= e -> ucharge erasure e true false blank_asked tt = 1/4.
Proof.
  intros e He. unfold ucharge, excess, er_outs, blank_asked, pos, Rmax.
  simpl; repeat (destruct (Rle_dec _ _)); lra.
Qed.

Theorem refund_refuted : forall e, 1 <= e ->
  (refunded [] <= 1/3 /\ never_negative er_menu erasure refund true refunded /\
   pays_rounds er_menu erasure refund e true false refunded) /\
  ~ private er_menu erasure refund e (1/3) true false.
Proof.
  intros e He. assert (He0 : 0 <= e) by lra. destruct (er_charge e true He) as [C0 _]. simpl negb in C0.
  split.
  - split; [simpl; lra|]. split.
    + intros h _ _. destruct h as [|[[] [[| |]|]] [|[[] [[| |]|]] [|b h]]]; simpl; lra.
    + intros h [] _ _ _ Er.
      destruct h as [|[[] [[| |]|]] [|[[] [[| |]|]] [|b h]]]; try discriminate.
      * rewrite C0. simpl. lra.
      * fold blank_asked.
        assert (Hc : charge erasure e true false blank_asked tt = 1/3).
        { apply (Rmult_eq_reg_l (like erasure true blank_asked)); [|simpl; lra].
          rewrite charge_spec, asked_ucharge by assumption. simpl. lra. }
        rewrite Hc. unfold blank_asked. simpl. lra.
  - intros Hp. set (A := insists er_menu (fun _ => eq_refl)).
    specialize (Hp A 3%nat). apply private_iff_hockey in Hp. rewrite identity in Hp by assumption.
    assert (T : forall n h, charges A refund erasure e true false (S n) h =
      toll refund erasure e true false h tt + sumf (replies er_outs refund h tt) (fun o =>
        if goes_on (refund h tt) then charges A refund erasure e true false n ((tt, o) :: h) else 0)).
    { intros n h. cbn [charges].
      assert (S0 : forall v, v = stops A h * 0 + v) by (intros; ring).
      rewrite (S0 (sumf (er_menu h) _)). unfold A at 1 2. unfold insists.
      rewrite follow_turn. reflexivity. }
    pose proof (fun n h => charges_nonneg A refund erasure e true false n h) as Pos.
    rewrite T in Hp. unfold toll, replies in Hp. simpl runs in Hp. simpl goes_on in Hp. cbv iota in Hp.
    rewrite sumf_map, <- (charge_spec erasure e true false [] tt He0), C0 in Hp.
    pose proof (sumf_member _ (er_outs [] tt)
      (fun y => charges A refund erasure e true false 2 [(tt, Some y)]) Blank
      (fun y _ => Pos _ _) ltac:(simpl; auto)) as Hb. cbv beta in Hb.
    assert (L1 : charges A refund erasure e true false 2 [(tt, Some Blank)]
      = charges A refund erasure e true false 1 blank_asked).
    { rewrite T. unfold toll, replies. simpl runs. simpl goes_on. cbv iota.
      rewrite sumf_cons. change (sumf [] _) with 0. unfold blank_asked. ring. }
    assert (L2 : 1/4 <= charges A refund erasure e true false 1 blank_asked).
    { rewrite T. unfold toll. simpl runs. cbv iota. rewrite asked_ucharge by assumption.
      rewrite <- (Rplus_0_r (1/4)) at 1. apply Rplus_le_compat_l.
      apply sumf_nonneg; intros. apply Pos. }
    simpl like in Hp. lra.
Qed.

(* ---------- the compensator first ---------- *)
(* randomised response that tells the truth with probability 2/3, twice *)
Definition rr_pr (x : bool) (_ : hist unit bool) (_ : unit) (y : bool) : R :=
  if eqb x y then 2/3 else 1/3.
Lemma rr_nonneg : forall x h r y, 0 <= rr_pr x h r y.
Proof. intros [|] h r [|]; unfold rr_pr; simpl; lra. Qed.
Lemma rr_sum : forall x h r, sumf (b_outs h r) (rr_pr x h r) = 1.
Proof. intros [|] h r; unfold sumf, b_outs, rr_pr; simpl; lra. Qed.
Definition rr : mechanism bool b_outs := Build_mechanism _ _ bool b_outs rr_pr rr_nonneg rr_sum.

Definition answers_twice : filter unit bool := fun h _ =>
  match h with [] => Continue | [_] => Last | _ => Halt end.
Definition twice_true (h : hist unit bool) : bool :=
  match h with [(_, Some true); (_, Some true)] => true | _ => false end.

Theorem compensator_first_refuted : forall e, 2 <= e < 4 ->
  affordable rr e both 0 [] tt = true /\
  declared rr both (fun _ _ => 2) (fun _ _ => 0) /\
  additive_fits (fun _ _ => 2) (fun _ _ => 0) e 0 ([] : hist unit bool) tt /\
  ~ private b_menu rr answers_twice e 0 true false.
Proof.
  intros e He. split; [|split; [|split]].
  - apply affordable_spec. intros x x' Hp _. rewrite (both_negb x x' Hp). simpl spent.
    assert (U : ucharge rr e x (negb x) [] tt = 0).
    { unfold ucharge, excess, b_outs. rewrite !sumf_cons. simpl. unfold rr_pr.
      destruct x; simpl; unfold pos, Rmax; repeat (destruct (Rle_dec _ _)); lra. }
    unfold charge. rewrite U. destruct (Rlt_dec _ _); unfold Rdiv; lra.
  - intros h r. split; [lra|]. split; [lra|]. intros x x' Hp. rewrite (both_negb x x' Hp).
    unfold b_outs. rewrite !sumf_cons. simpl. unfold rr_pr.
    destruct x; simpl; unfold pos, Rmax; repeat (destruct (Rle_dec _ _)); lra.
  - split; simpl; lra.
  - intros Hp. specialize (Hp (insists b_menu (fun _ => eq_refl)) 2%nat twice_true).
    assert (V : forall x, prob (insists b_menu (fun _ => eq_refl)) answers_twice rr x 2 twice_true
      = rr_pr x [] tt true * rr_pr x [] tt true).
    { intros x. unfold prob. cbn [law]. unfold insists. rewrite follow_turn. unfold replies.
      simpl runs. simpl goes_on. cbv iota. unfold b_outs. simpl map. rewrite !sumf_cons.
      rewrite !follow_turn. simpl. unfold rr_pr. destruct x; simpl; lra. }
    rewrite !V in Hp. unfold rr_pr in Hp. simpl in Hp. lra.
Qed.
