(* For eps > 0 the capped compensator is not maximal for both directions of a pair.

   In words: let eps > 0 and 0 < delta < 1.  A leak of x' with probability l uses up l of the budget of
   (x', x).  Then a round one of whose outputs, a, is e^eps times as likely under x' as under x: what
   (x, x') can lose after a is at most e^-eps times what (x', x) still may (`joint_cap`), which is less
   than the capped compensator keeps for it there.  A filter that hands the difference to the other
   output, b, is causal, private for both directions on every family, goes on wherever the capped
   compensator goes on, and runs a round at b at which that one halts (`frugal_private`; the game and
   `stranded_not_maximal` are in StrandedGame.v).
   At e^eps = 2 and delta = l = 1/10: P = (4/15, 11/15) against (16/27, 11/27), then a leak of x of 3/22.

   At eps = 0 there is Pairs.v. *)
From Coq Require Import Reals List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity Compensator Capped Causal Maximal Pairs JointCaps.
Import ListNotations.
Open Scope R_scope.

Local Notation mech := (mechanism bool p_outs).

Lemma both_outs : forall h r f, sumf (p_outs h r) f = f true + f false.
Proof. intros. unfold p_outs, sumf. simpl. ring. Qed.

Definition leak_fits (e d l : R) : Prop := 1 < e /\ d < 1 /\ 0 < l <= d /\ l < 1 - / e.

Section Stranded.
Variables e d l : R.                                    (* l: the first leak *)
Hypothesis ok : leak_fits e d l.
Let He : 1 < e := proj1 ok.
Let Hd : d < 1 := proj1 (proj2 ok).
Let Hleak : 0 < l <= d := proj1 (proj2 (proj2 ok)).
Let Hel : l < 1 - / e := proj2 (proj2 (proj2 ok)).

(* the probability of a under x *)
Definition share_a : R := (e * (1 - l) - 1) / (e * e - 1).
Local Notation p := share_a.

Lemma e_room : 1 < e * (1 - l).
Proof.
  assert (e * / e = 1) by (apply Rinv_r; lra). assert (e * l < e * (1 - / e)) by (apply Rmult_lt_compat_l; lra).
  lra.
Qed.

Lemma p_eq : 1 - p = e * (1 - l - e * p).
Proof. unfold share_a. field. nra. Qed.

Lemma p_range : 0 < p /\ p + l < 1.
Proof.
  pose proof e_room. assert (0 < e * e - 1) by nra. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply (Rmult_lt_reg_r (e * e - 1)); [assumption|].
    replace ((p + l) * (e * e - 1)) with (e * (1 - l) - 1 + l * (e * e - 1)) by (unfold share_a; field; lra).
    nra.
Qed.

(* what (x', x) keeps per unit of mass after the leak, and what (x, x') may lose after b, in mass *)
Definition rest2 : R := (d - l) / (1 - l).
Definition mass_b : R := d - p * rest2.

Lemma rest2_eq : rest2 * (1 - l) = d - l.
Proof. unfold rest2. field. lra. Qed.
Lemma rest2_range : 0 <= rest2 < d.
Proof. pose proof rest2_eq. split; apply Rnot_lt_le || apply Rnot_le_lt; intros C; nra. Qed.
Lemma mass_b_range : (1 - p) * d < mass_b < 1 - p /\ 0 < mass_b.
Proof.
  pose proof rest2_range. pose proof rest2_eq. destruct p_range. unfold mass_b.
  assert (1 - p - (d - p * rest2) = (1 - rest2) * (1 - l - p)) by nra.
  assert (0 < (1 - rest2) * (1 - l - p)) by (apply Rmult_lt_0_compat; lra).
  split; [split|]; nra.
Qed.

(* a leak of false with probability l; then a and b *)
Definition law1 (x y : bool) : R := if x then (if y then 0 else 1) else (if y then l else 1 - l).
Definition law2 (x y : bool) : R :=
  if x then (if y then p else 1 - p) else (if y then e * p / (1 - l) else 1 - e * p / (1 - l)).
Definition silent1 : hist unit bool := [(tt, Some false)].
Definition at_a : hist unit bool := (tt, Some true) :: silent1.
Definition at_b : hist unit bool := (tt, Some false) :: silent1.

Definition same (f g : bool -> bool -> R) : bool := forallb (fun x => forallb (fun y =>
  Rleb (f x y) (g x y) && Rleb (g x y) (f x y)) [true; false]) [true; false].
Definition begins (M : mech) : bool :=
  same (fun x => pr M x [] tt) law1 && same (fun x => pr M x silent1 tt) law2.

Lemma same_spec : forall f g, same f g = true <-> forall x y, f x y = g x y.
Proof.
  intros f g. unfold same. simpl. rewrite !andb_true_iff, !Rleb_true. split.
  - intros H x y. destruct x, y; lra.
  - intros H. rewrite !H. lra.
Qed.

Local Notation allows M := (capped_allows M e both d).
Definition held (M : mech) (x : bool) (h : hist unit bool) : R :=
  like M x h * capped_budget M e x (negb x) d h.

(* what is stranded after a lets one more round run after b, and then no other *)
Definition at_end (h : hist unit bool) : bool :=
  match h with [(_, Some false); (_, Some false)] => true | _ => false end.
Definition spare (M : mech) (h : hist unit bool) : bool :=
  at_end h && begins M && Rleb (ucharge M e true false h tt) mass_b &&
  Rleb (ucharge M e false true h tt) (held M false h).
Definition frugal (M : mech) : filter unit bool :=
  fun h r => if allows M h r then Continue else if spare M h then Last else Halt.

Lemma at_end_spec : forall h, at_end h = true -> h = at_b.
Proof. intros [|[[] [[|]|]] [|[[] [[|]|]] [|]]]; try discriminate; reflexivity. Qed.

Lemma frugal_causal : causal frugal.
Proof.
  intros M M' h [] H1 H2. unfold frugal. rewrite (agree_capped_allows e d both M M') by assumption.
  replace (spare M' h) with (spare M h); [reflexivity|]. unfold spare.
  rewrite (agree_ucharge e true false M M'), (agree_ucharge e false true M M') by assumption.
  unfold held. rewrite (agree_like M M'), (agree_capped_budget e d false true M M') by assumption.
  destruct (at_end h) eqn:E; [|reflexivity]. apply at_end_spec in E. subst h.
  destruct H1 as [[_ H0] H1]. f_equal. f_equal. unfold begins, same. simpl. rewrite !H0, !H1. reflexivity.
Qed.

(* ---------- the budgets of the capped compensator ---------- *)
Lemma fits_both : forall (M : mech) h r, allows M h r = true -> forall x,
  0 < like M x h -> charge M e x (negb x) h r <= capped_budget M e x (negb x) d h.
Proof.
  intros M h r H x Hl. unfold capped_allows in H. rewrite covers_spec in H.
  apply H; [|assumption]. destruct x; simpl; auto.
Qed.

Lemma held_nonneg : forall (M : mech) x h, 0 <= held M x h.
Proof.
  intros. apply Rmult_le_pos; [apply like_nonneg|]. apply capped_budget_nonneg; lra.
Qed.

Lemma held_step : forall (M : mech) x h r,
  (0 < like M x h -> charge M e x (negb x) h r <= capped_budget M e x (negb x) d h) ->
  ucharge M e x (negb x) h r + sumf (p_outs h r) (fun y => held M x ((r, Some y) :: h)) <= held M x h.
Proof. intros. apply capped_step; [lra | assumption]. Qed.

(* a round that costs nothing fits any budget *)
Lemma free_fits : forall (M : mech) x h r, ucharge M e x (negb x) h r = 0 ->
  0 < like M x h -> charge M e x (negb x) h r <= capped_budget M e x (negb x) d h.
Proof.
  intros M x h r E Hl. unfold charge. rewrite E. destruct (Rlt_dec 0 (like M x h)); [|lra].
  unfold Rdiv. rewrite Rmult_0_l. apply capped_budget_nonneg; lra.
Qed.

Section Begun.
Variable M : mech.
Hypothesis HM : begins M = true.

Lemma laws : (forall x y, pr M x [] tt y = law1 x y) /\ (forall x y, pr M x silent1 tt y = law2 x y).
Proof. unfold begins in HM. apply andb_true_iff in HM. rewrite !same_spec in HM. exact HM. Qed.

Lemma likes : like M true silent1 = 1 /\ like M false silent1 = 1 - l /\
  like M true [(tt, Some true)] = 0 /\ like M false [(tt, Some true)] = l /\
  like M true at_a = p /\ like M false at_a = e * p /\
  like M true at_b = 1 - p /\ like M false at_b = 1 - l - e * p.
Proof.
  destruct laws as [L1 L2]. pose proof e_room.
  assert (E1 : forall x y, like M x [(tt, Some y)] = law1 x y) by (intros; simpl; rewrite L1; ring).
  assert (E2 : forall x y, like M x ((tt, Some y) :: silent1) = law1 x false * law2 x y)
    by (intros; rewrite <- L2, <- (E1 x false); reflexivity).
  unfold at_a, at_b. rewrite !E2. unfold silent1. rewrite !E1. unfold law1, law2.
  repeat split; try ring; field; nra.
Qed.

Lemma excesses : excess M e true false [] = 0 /\ excess M e false true [] = 0 /\
  excess M e true false silent1 = 0 /\ excess M e false true silent1 = 0 /\
  excess M e true false [(tt, Some true)] = 0 /\ excess M e false true [(tt, Some true)] = l /\
  excess M e true false at_a = 0 /\ excess M e false true at_a = 0 /\
  excess M e true false at_b = 0 /\ excess M e false true at_b = 0.
Proof.
  destruct likes as (A1 & A2 & A3 & A4 & A5 & A6 & A7 & A8). pose proof e_room. pose proof p_eq.
  destruct p_range as [P1 P2]. unfold excess. rewrite A1, A2, A3, A4, A5, A6, A7, A8.
  change (like M true []) with 1. change (like M false []) with 1.
  repeat split; try (apply pos_of_nonpos; nra). rewrite pos_of_nonneg; lra.
Qed.

Lemma charges_begun : ucharge M e true false [] tt = 0 /\ ucharge M e false true [] tt = l /\
  ucharge M e true false silent1 tt = 0 /\ ucharge M e false true silent1 tt = 0.
Proof.
  destruct excesses as (A1 & A2 & A3 & A4 & A5 & A6 & A7 & A8 & A9 & A10).
  unfold ucharge. rewrite !both_outs.
  change [(tt, Some false)] with silent1. change ((tt, Some true) :: silent1) with at_a.
  change ((tt, Some false) :: silent1) with at_b.
  rewrite A1, A2, A3, A4, A5, A6, A7, A8, A9, A10. repeat split; ring.
Qed.

Lemma first_fits : forall x, 0 < like M x [] -> charge M e x (negb x) [] tt <= capped_budget M e x (negb x) d [].
Proof.
  intros x _. destruct charges_begun as (C1 & C2 & _). unfold charge. simpl like.
  destruct (Rlt_dec 0 1); [|lra]. destruct x; simpl; [rewrite C1 | rewrite C2]; lra.
Qed.

Lemma second_fits : forall x, 0 < like M x silent1 ->
  charge M e x (negb x) silent1 tt <= capped_budget M e x (negb x) d silent1.
Proof. intros x. apply free_fits. destruct charges_begun as (_ & _ & C3 & C4). destruct x; assumption. Qed.

(* after a and after b each direction keeps the same per unit of mass *)
Lemma same_budget : forall x, capped_budget M e x (negb x) d at_a = capped_budget M e x (negb x) d at_b /\
  headroom M e x (negb x) at_b = 1.
Proof.
  intros x. destruct likes as (_ & _ & _ & _ & L5 & L6 & L7 & L8). destruct p_range. pose proof p_eq.
  destruct excesses as (_ & _ & _ & _ & _ & _ & E7 & E8 & E9 & E10). assert (0 < 1 - l - e * p) by nra.
  assert (Room : headroom M e x (negb x) at_a = 1 /\ headroom M e x (negb x) at_b = 1).
  { unfold headroom. assert (0 < e * p) by nra. destruct x; cbn [negb];
    rewrite ?L5, ?L6, ?L7, ?L8, ?E7, ?E8, ?E9, ?E10; repeat (destruct (Rlt_dec _ _)); lra. }
  destruct Room as [R1 R2]. split; [|assumption]. unfold at_a, at_b in *. cbn [capped_budget].
  rewrite R1, R2. reflexivity.
Qed.

(* what is held on the way *)
Lemma held_begun : held M false at_a <= e * (p * rest2) /\ held M true [(tt, Some true)] = 0 /\
  capped_budget M e true false d at_b <= d.
Proof.
  destruct charges_begun as (C1 & C2 & C3 & C4). destruct likes as (_ & _ & L3 & _ & L5 & L6 & L7 & L8).
  pose proof (held_step M false [] tt (first_fits false)) as F1.
  pose proof (held_step M false silent1 tt (second_fits false)) as F2.
  pose proof (held_step M true [] tt (first_fits true)) as T1.
  pose proof (held_step M true silent1 tt (second_fits true)) as T2.
  destruct (same_budget false) as [S2 _]. destruct (same_budget true) as [S1 _].
  cbn [negb] in *. rewrite C1 in T1. rewrite C2 in F1. rewrite C3 in T2. rewrite C4 in F2.
  rewrite both_outs in F1, F2, T1, T2.
  change [(tt, Some false)] with silent1 in *. change ((tt, Some true) :: silent1) with at_a in *.
  change ((tt, Some false) :: silent1) with at_b in *.
  assert (H0 : forall x, held M x [] = d) by (intros; unfold held; simpl; ring). rewrite !H0 in *.
  pose proof (held_nonneg M false [(tt, Some true)]). pose proof (held_nonneg M true [(tt, Some true)]).
  pose proof rest2_eq as R. destruct p_range.
  set (b1 := capped_budget M e true false d at_b) in *. set (b2 := capped_budget M e false true d at_b) in *.
  assert (A2 : held M false at_a = e * p * b2) by (unfold held; cbn [negb]; rewrite L6, S2; reflexivity).
  assert (B2 : held M false at_b = (1 - l - e * p) * b2) by (unfold held; cbn [negb]; rewrite L8; reflexivity).
  assert (A1 : held M true at_a = p * b1) by (unfold held; cbn [negb]; rewrite L5, S1; reflexivity).
  assert (B1 : held M true at_b = (1 - p) * b1) by (unfold held; cbn [negb]; rewrite L7; reflexivity).
  rewrite A2, B2 in F2. rewrite A1, B1 in T2.
  split; [|split; [unfold held; rewrite L3; ring | lra]].
  assert (b2 <= rest2) by (apply (Rmult_le_reg_r (1 - l)); lra).
  rewrite A2, <- Rmult_assoc. apply Rmult_le_compat_l; [nra | assumption].
Qed.

(* ---------- one budget for (x, x') that takes back what is stranded ---------- *)
Definition is_a (h : hist unit bool) : bool :=
  match h with [(_, Some true); (_, Some false)] => true | _ => false end.
Fixpoint after_a (h : hist unit bool) : bool :=
  is_a h || match h with [] => false | _ :: k => after_a k end.
Definition on_way (h : hist unit bool) : bool :=
  match h with [] | [(_, Some false)] => true | _ => false end.
Local Notation capped_room := (room M e true false (held M false)).
Definition kept (h : hist unit bool) : R :=
  if after_a h then capped_room h
  else if on_way h then d else if at_end h then mass_b else held M true h.

Lemma kept_nonneg : forall h, 0 <= kept h.
Proof.
  intros h. unfold kept. destruct (after_a h); [apply room_nonneg; [lra | apply held_nonneg]|].
  destruct (on_way h); [lra|]. destruct (at_end h); [destruct mass_b_range; lra | apply held_nonneg].
Qed.

(* beyond the first two rounds nothing is taken back *)
Lemma kept_next : forall h y, h <> [] -> h <> silent1 -> kept ((tt, Some y) :: h) =
  if after_a h then capped_room ((tt, Some y) :: h) else held M true ((tt, Some y) :: h).
Proof.
  intros h y N1 N2. unfold kept. cbn [after_a].
  destruct h as [|[[] [[|]|]] [|[[] [[|]|]] h]]; try (contradiction N1; reflexivity);
  try (contradiction N2; reflexivity); destruct y; reflexivity.
Qed.

Lemma kept_pays : forall h, allows M h tt = true ->
  ucharge M e true false h tt + sumf (p_outs h tt) (fun y => kept ((tt, Some y) :: h)) <= kept h.
Proof.
  intros h Ha. destruct charges_begun as (C1 & C2 & C3 & C4). destruct held_begun as (Z1 & Z2 & Z3).
  destruct (hist_eq (fun a b : unit => match a, b with tt, tt => left eq_refl end) bool_dec h []) as [->|N1].
  { rewrite C1. rewrite both_outs. unfold kept. simpl. rewrite Z2. lra. }
  destruct (hist_eq (fun a b : unit => match a, b with tt, tt => left eq_refl end) bool_dec h silent1) as [->|N2].
  { rewrite C3, both_outs.
    change ((tt, Some true) :: silent1) with at_a. change ((tt, Some false) :: silent1) with at_b.
    unfold kept. simpl after_a. simpl on_way. simpl at_end. cbv iota.
    destruct likes as (_ & _ & _ & _ & L5 & L6 & _). destruct excesses as (_ & _ & _ & _ & _ & _ & E7 & E8 & _).
    unfold room. rewrite L5, L6, E7, E8.
    replace (p - 0 - (e * p - 0 - held M false at_a) / e) with (held M false at_a / e) by (field; lra).
    assert (held M false at_a / e <= p * rest2).
    { apply (Rmult_le_reg_l e); [lra|]. apply Rle_trans with (held M false at_a); [right; field; lra | assumption]. }
    unfold mass_b. lra. }
  rewrite (sumf_ext _ _ _ (fun y => if after_a h then capped_room ((tt, Some y) :: h)
    else held M true ((tt, Some y) :: h))) by (intros; apply kept_next; assumption).
  unfold kept. destruct (after_a h) eqn:Ea.
  - apply room_pays; [lra|]. apply (held_step M false h tt). apply fits_both; assumption.
  - pose proof (held_step M true h tt (fits_both M h tt Ha true)) as S. cbn [negb] in S.
    eapply Rle_trans; [exact S|]. replace (on_way h) with false
      by (destruct h as [|[[] [[|]|]] [|]]; try reflexivity; [contradiction N1 | contradiction N2]; reflexivity).
    destruct (at_end h) eqn:Eo; [|lra]. apply at_end_spec in Eo. subst h.
    unfold held. cbn [negb]. destruct likes as (_ & _ & _ & _ & _ & _ & L7 & _). rewrite L7.
    destruct mass_b_range as [[B1 _] _]. destruct p_range. nra.
Qed.
End Begun.

Theorem frugal_private : forall M x, private p_menu M (frugal M) e d x (negb x).
Proof.
  intros M x.
  assert (Nonneg : forall h, 0 <= if begins M && x then kept M h else held M x h)
    by (intros h; destruct (begins M && x); [apply kept_nonneg | apply held_nonneg]).
  apply (budget_sound (frugal M) M e x (negb x) d (fun h => if begins M && x then kept M h else held M x h));
    [lra|].
  split; [unfold kept, held; simpl; destruct (begins M && x); lra|]. split; [intros; apply Nonneg|].
  intros h [] Hr _. unfold toll, frugal, replies. destruct (allows M h tt) eqn:Ea; simpl runs; simpl goes_on; cbv iota.
  - rewrite sumf_map. destruct (begins M && x) eqn:Eb.
    + apply andb_true_iff in Eb. destruct Eb as [Eb ->]. apply kept_pays; assumption.
    + apply held_step. apply fits_both. exact Ea.
  - destruct (spare M h) eqn:Es; simpl runs; simpl goes_on; cbv iota; rewrite sumf_zero;
      [|specialize (Nonneg h); lra].
    unfold spare in Es. rewrite !andb_true_iff, !Rleb_true in Es. destruct Es as (((E1 & E2) & E3) & E4).
    apply at_end_spec in E1. subst h. rewrite E2. destruct x; cbn [andb negb].
    + unfold kept. simpl after_a. simpl on_way. simpl at_end. cbv iota. lra.
    + lra.
Qed.
End Stranded.
