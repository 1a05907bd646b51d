(* A game on which the frugal filter runs a round at which the capped compensator halts.

   In words: a leak of x' with probability l, a round with outputs a and b, and after b a leak of x of the
   mass that the two directions together leave (Stranded.v).  So for every eps > 0 and 0 < delta < 1 the
   capped compensator is not maximal for both directions of a pair (`stranded_not_maximal`). *)
From Coq Require Import Reals List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity Compensator Capped Causal Maximal Pairs JointCaps
  Stranded.
Import ListNotations.
Open Scope R_scope.

Local Notation mech := (mechanism bool p_outs).

Section Game.
Variables e d l : R.                                    (* l: the first leak *)
Hypothesis ok : leak_fits e d l.
Let He : 1 < e := proj1 ok.
Let Hd : d < 1 := proj1 (proj2 ok).
Let Hleak : 0 < l <= d := proj1 (proj2 (proj2 ok)).
Let Hel : l < 1 - / e := proj2 (proj2 (proj2 ok)).

Local Notation p := (share_a e l).
Local Notation rest2 := (rest2 d l).
Local Notation mass_b := (mass_b e d l).
Local Notation law1 := (law1 l).
Local Notation law2 := (law2 e l).
Local Notation begins := (begins e l).
Local Notation held := (held e d).
Local Notation allows M := (capped_allows M e both d).
Local Notation e_room := (Stranded.e_room e d l ok).
Local Notation p_eq := (Stranded.p_eq e d l ok).
Local Notation p_range := (Stranded.p_range e d l ok).
Local Notation rest2_eq := (Stranded.rest2_eq e d l ok).
Local Notation rest2_range := (Stranded.rest2_range e d l ok).
Local Notation mass_b_range := (Stranded.mass_b_range e d l ok).
Local Notation likes := (Stranded.likes e d l ok).
Local Notation excesses := (Stranded.excesses e d l ok).
Local Notation charges_begun := (Stranded.charges_begun e d l ok).
Local Notation first_fits := (Stranded.first_fits e d l ok).
Local Notation second_fits := (Stranded.second_fits e d l ok).
Local Notation same_budget := (Stranded.same_budget e d l ok).
Local Notation held_begun := (Stranded.held_begun e d l ok).
Local Notation fits_both := (Stranded.fits_both e d).
Local Notation frugal_private := (Stranded.frugal_private e d l ok).

(* after b a leak of true of mass mass_b *)
Definition leak_b : R := mass_b / (1 - p).
Definition stranded_pr (x : bool) (h : hist unit bool) (_ : unit) (y : bool) : R :=
  match h with
  | [] => law1 x y
  | [(_, Some false)] => law2 x y
  | _ => if x then (if y then leak_b else 1 - leak_b) else (if y then 0 else 1)
  end.

Lemma leak_range : 0 < leak_b < 1 /\ (1 - p) * leak_b = mass_b.
Proof.
  destruct p_range. destruct mass_b_range as [B1 B2]. unfold leak_b. split; [|field; lra]. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply (Rmult_lt_reg_r (1 - p)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma law_range : (forall x y, 0 <= law1 x y) /\ (forall x y, 0 <= law2 x y).
Proof.
  destruct p_range as [P1 P2]. pose proof p_eq as E. pose proof e_room as H1.
  assert (0 < 1 - l) by lra. assert (0 < 1 - l - e * p) by nra.
  assert (Q : 0 < e * p / (1 - l) < 1).
  { split; [apply Rdiv_lt_0_compat; nra|]. apply (Rmult_lt_reg_r (1 - l)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; intros [|] [|]; unfold law1, law2; lra.
Qed.

Lemma stranded_nonneg : forall x h r y, 0 <= stranded_pr x h r y.
Proof.
  destruct law_range as [L1 L2]. destruct leak_range as [L3 _]. intros x h r y. unfold stranded_pr.
  destruct h as [|[u [[|]|]] [|b h]]; auto; destruct x, y; lra.
Qed.
Lemma stranded_sum : forall x h r, sumf (p_outs h r) (stranded_pr x h r) = 1.
Proof.
  intros x h r. rewrite both_outs. unfold stranded_pr.
  destruct h as [|[u [[|]|]] [|b h]]; destruct x; unfold law1, law2; lra.
Qed.
Definition stranded_game : mech :=
  Build_mechanism _ _ bool p_outs stranded_pr stranded_nonneg stranded_sum.
Local Notation G := stranded_game.

Lemma game_begins : begins G = true.
Proof. unfold begins. apply andb_true_iff. rewrite !same_spec. split; reflexivity. Qed.

(* (x', x) keeps exactly rest2 per unit of mass after b *)
Lemma left_b : rest2 <= capped_budget G e false true d at_b.
Proof.
  destruct (likes G game_begins) as (_ & L2 & _ & L4 & _).
  destruct (excesses G game_begins) as (_ & _ & _ & E4 & _ & E6 & _).
  destruct (charges_begun G game_begins) as (_ & C2 & _ & C4).
  destruct (same_budget G game_begins false) as [S R]. cbn [negb] in *.
  pose proof rest2_range as [R0 R1]. pose proof rest2_eq as Rq.
  assert (Hs : headroom G e false true silent1 = 1).
  { unfold headroom. rewrite L2, E4. destruct (Rlt_dec _ _); lra. }
  assert (Hk : headroom G e false true [(tt, Some true)] = 0).
  { unfold headroom. rewrite L4, E6. destruct (Rlt_dec _ _); [field|]; lra. }
  assert (B1 : rest2 <= capped_budget G e false true d silent1).
  { unfold silent1 at 1. cbn [capped_budget]. fold silent1. rewrite Hs.
    replace (charge G e false true [] tt) with l
      by (unfold charge; simpl like; rewrite C2; destruct (Rlt_dec 0 1); [field | lra]).
    destruct (level_spec G e false true [] tt (d - l)) as (Ht & _ & H2). set (t := level _ _ _ _ _ _ _) in *.
    assert (P : forall v, 0 <= v <= 1 -> poured (p_outs [] tt) (pr G false [] tt)
      (fun y => headroom G e false true [(tt, Some y)]) v = (1 - l) * v).
    { intros v Hv. unfold poured. rewrite both_outs. change [(tt, Some false)] with silent1. rewrite Hs, Hk.
      rewrite Rmin_right, Rmin_left by lra. simpl. ring. }
    rewrite !P in H2 by lra. specialize (H2 ltac:(lra) ltac:(lra)).
    apply Rmin_glb; [|lra]. apply (Rmult_le_reg_r (1 - l)); lra. }
  unfold at_b at 1. cbn [capped_budget]. fold at_b. rewrite R.
  replace (charge G e false true silent1 tt) with 0
    by (unfold charge; rewrite C4; destruct (Rlt_dec _ _); [unfold Rdiv; ring | reflexivity]).
  rewrite Rminus_0_r. set (b := capped_budget G e false true d silent1) in *.
  destruct (level_spec G e false true silent1 tt b) as (Ht & H1 & H2). set (t := level _ _ _ _ _ _ _) in *.
  assert (P : poured (p_outs silent1 tt) (pr G false silent1 tt)
    (fun y => headroom G e false true ((tt, Some y) :: silent1)) t <= t).
  { unfold poured. apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply Rmin_l]. }
  apply Rmin_glb; [|lra]. destruct (Rlt_le_dec b (poured (p_outs silent1 tt) (pr G false silent1 tt)
    (fun y => headroom G e false true ((tt, Some y) :: silent1)) 1)) as [C|C].
  - specialize (H2 ltac:(lra) C). lra.
  - rewrite (H1 C). lra.
Qed.

Lemma last_charges : ucharge G e true false at_b tt = mass_b /\
  ucharge G e false true at_b tt <= held G false at_b.
Proof.
  destruct (likes G game_begins) as (_ & _ & _ & _ & _ & _ & L7 & L8).
  destruct (excesses G game_begins) as (_ & _ & _ & _ & _ & _ & _ & _ & E9 & E10).
  destruct leak_range as [K1 K2]. destruct p_range as [P1 P2]. pose proof p_eq as E.
  pose proof rest2_range as [R0 R1]. pose proof rest2_eq as Rq. destruct mass_b_range as [[B1 B2] B3].
  pose proof left_b as B.
  assert (Big : 1 - l - e * p <= e * (1 - p - l)).
  { apply (Rmult_le_reg_l e); [lra|]. rewrite <- E.
    assert (Ee : p * (e * e - 1) = e * (1 - l) - 1) by (unfold share_a; field; nra).
    assert (X : e * (e * (1 - p - l)) - (1 - p) = e * (e - 1) * (1 - l)).
    { replace (e * (e * (1 - p - l)) - (1 - p)) with (e * e * (1 - l) - p * (e * e - 1) - 1) by ring.
      rewrite Ee. ring. }
    assert (0 <= e * (e - 1) * (1 - l)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra. }
  assert (Q : 0 < 1 - l - e * p) by nra.
  unfold ucharge. rewrite !both_outs, E9, E10. unfold held. cbn [negb]. rewrite L8.
  set (b := capped_budget G e false true d at_b) in *. unfold excess. cbn [like chance].
  rewrite L7, L8. simpl. split.
  - rewrite pos_of_nonneg, pos_of_nonpos by nra. nra.
  - rewrite (pos_of_nonpos (_ * 0 - _)) by nra.
    apply Rle_trans with ((1 - l - e * p) * rest2); [|apply Rmult_le_compat_l; lra].
    rewrite Rplus_0_l, Rminus_0_r. apply pos_le; [nra|].
    assert (Eq : (1 - p) * (1 - leak_b) = (1 - rest2) * (1 - p - l)).
    { replace ((1 - p) * (1 - leak_b)) with (1 - p - (1 - p) * leak_b) by ring. rewrite K2. unfold mass_b.
      replace ((1 - rest2) * (1 - p - l)) with (1 - p - l - rest2 * (1 - l) + p * rest2) by ring.
      rewrite Rq. ring. }
    rewrite Eq.
    assert ((1 - rest2) * (1 - l - e * p) <= (1 - rest2) * (e * (1 - p - l)))
      by (apply Rmult_le_compat_l; lra).
    nra.
Qed.

Theorem stranded_with : exists F : mech -> filter unit bool,
  causal F /\
  (forall M h r, capped M e both d h r = Continue -> F M h r = Continue) /\
  (forall M x, private p_menu M (F M) e d x (negb x)) /\
  exists M h r, reached p_menu p_outs (capped M e both d) h /\ capped M e both d h r = Halt /\
    runs (F M h r) = true.
Proof.
  exists (frugal e d l). split; [apply frugal_causal|]. split; [|split; [apply frugal_private|]].
  { intros M h r H. unfold capped, gate in H. unfold frugal. destruct (allows M h r); congruence. }
  pose proof game_begins as GB. destruct last_charges as [U1 U2].
  destruct (likes G GB) as (_ & _ & _ & _ & _ & _ & L7 & _). destruct p_range as [P1 P2].
  assert (Neg : forall z z', In (z, z') both -> z' = negb z) by (intros z z' [H|[H|[]]]; inversion H; reflexivity).
  assert (A0 : allows G [] tt = true)
    by (apply covers_spec; intros z z' Hz Hl; rewrite (Neg z z' Hz); apply first_fits; assumption).
  assert (A1 : allows G silent1 tt = true)
    by (apply covers_spec; intros z z' Hz Hl; rewrite (Neg z z' Hz); apply second_fits; assumption).
  assert (A2 : allows G at_b tt = false).
  { apply not_true_iff_false. intros H. pose proof (fits_both G at_b tt H true) as K. rewrite L7 in K.
    specialize (K ltac:(lra)). cbn [negb] in K. unfold charge in K. rewrite L7, U1 in K.
    destruct (Rlt_dec 0 (1 - p)); [|lra].
    destruct (held_begun G GB) as (_ & _ & Z). destruct mass_b_range as [[B1 _] _].
    set (b := capped_budget G e true false d at_b) in *.
    assert (mass_b <= b * (1 - p)).
    { apply Rle_trans with (mass_b / (1 - p) * (1 - p)); [right; field; lra | apply Rmult_le_compat_r; lra]. }
    nra. }
  exists G, at_b, tt. split; [|split].
  - unfold at_b, silent1; cbn [reached]. unfold replies, capped, gate. fold silent1. rewrite A0, A1. simpl. auto 10.
  - unfold capped, gate. rewrite A2. reflexivity.
  - unfold frugal. rewrite A2. unfold spare. rewrite GB, U1. simpl.
    rewrite !(proj2 (Rleb_true _ _)) by lra. reflexivity.
Qed.
End Game.


Theorem stranded_not_maximal : forall e d, 1 < e -> 0 < d < 1 -> exists F : mech -> filter unit bool,
  causal F /\
  (forall M h r, capped M e both d h r = Continue -> F M h r = Continue) /\
  (forall M x, private p_menu M (F M) e d x (negb x)) /\
  exists M h r, reached p_menu p_outs (capped M e both d) h /\ capped M e both d h r = Halt /\
    runs (F M h r) = true.
Proof.
  intros e d He Hd. assert (Hi : 0 < 1 - / e).
  { assert (e * / e = 1) by (apply Rinv_r; lra). nra. }
  apply (stranded_with e d (Rmin d ((1 - / e) / 2))). split; [assumption|]. split; [lra|]. split.
  - split; [apply Rmin_glb_lt; lra | apply Rmin_l].
  - eapply Rle_lt_trans; [apply Rmin_r | lra].
Qed.
