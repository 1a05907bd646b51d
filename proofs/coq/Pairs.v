(* For several ordered pairs the capped compensator can be improved, at eps = 0 already for two.

   In words: at eps = 0 both directions of a pair are charged the same mass in every round
   (`mirrored`), so one budget would do for both.  The capped compensator keeps two, each shared out
   under its own law, and a round must fit the smaller: what the larger holds more is stranded.  A
   filter that hands it out after one particular first round (randomised response 3/4) is causal,
   private for both directions on every family, goes on wherever the capped compensator goes on, and
   runs a round at which that one halts (`pairs_not_maximal`: delta = 5/8).  The same is possible for
   every eps > 0, by another waste: StrandedGame.v.  What is maximal for both directions of one pair is
   the compensator with joint caps: JointExact.v. *)
From Coq Require Import Reals List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Identity Compensator Capped Causal Maximal.
Import ListNotations.
Open Scope R_scope.

(* ---------- eps = 0 ---------- *)
Lemma mirrored : forall {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) x x' h r, ucharge M 1 x x' h r = ucharge M 1 x' x h r.
Proof.
  intros. assert (E : forall k, excess M 1 x x' k = excess M 1 x' x k + (like M x k - like M x' k)).
  { intros k. unfold excess, pos, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); lra. }
  unfold ucharge. rewrite E, (sumf_ext _ _ _ (fun y => excess M 1 x' x ((r, Some y) :: h) +
    (like M x ((r, Some y) :: h) - like M x' ((r, Some y) :: h)))) by (intros; apply E).
  rewrite sumf_plus, sumf_minus, !like_outs. ring.
Qed.

Definition p_menu (_ : hist unit bool) : list unit := [tt].
Definition p_outs (_ : hist unit bool) (_ : unit) : list bool := [true; false].
Local Notation mech := (mechanism bool p_outs).
Definition both : list (bool * bool) := [(true, false); (false, true)].
Definition five_eighths : R := 5/8.
Local Notation d := five_eighths.
Local Notation allows M := (capped_allows M 1 both d).
Definition bud (M : mech) (x : bool) : hist unit bool -> R := capped_budget M 1 x (negb x) d.
Local Notation U M := (fun x h => like M x h * bud M x h).
Local Notation least M := (fun h => Rmin (U M true h) (U M false h)).

(* randomised response: the truth with probability 3/4 *)
Definition rr (x y : bool) : R := if Bool.eqb x y then 3/4 else 1/4.
Definition starts_rr (M : mech) : bool := forallb (fun x => forallb (fun y =>
  Rleb (pr M x [] tt y) (rr x y) && Rleb (rr x y) (pr M x [] tt y)) [true; false]) [true; false].
(* what is stranded lets one more round run after it, and then no other *)
Definition extra (M : mech) (h : hist unit bool) : bool :=
  (length h =? 1)%nat && starts_rr M && Rleb (ucharge M 1 true false h tt) (1/16).
Definition thrifty (M : mech) : filter unit bool :=
  fun h r => if allows M h r then Continue else if extra M h then Last else Halt.

Lemma starts_rr_spec : forall M, starts_rr M = true -> forall x y, pr M x [] tt y = rr x y.
Proof.
  intros M H x y. unfold starts_rr in H. simpl in H. rewrite !andb_true_iff, !Rleb_true in H.
  destruct x, y; lra.
Qed.

Lemma thrifty_causal : causal thrifty.
Proof.
  intros M M' h [] H1 H2. unfold thrifty. rewrite (agree_capped_allows 1 d both M M') by assumption.
  replace (extra M' h) with (extra M h); [reflexivity|]. unfold extra.
  rewrite (agree_ucharge 1 true false M M') by assumption.
  destruct h as [|a [|b h]]; [reflexivity | | reflexivity].
  destruct H1 as [_ H1]. unfold starts_rr. simpl. rewrite !H1. reflexivity.
Qed.

(* ---------- the budgets ---------- *)
Lemma allows_both : forall (M : mech) h r, allows M h r = true -> forall x,
  0 < like M x h -> charge M 1 x (negb x) h r <= bud M x h.
Proof.
  intros M h r H x Hl. unfold capped_allows in H. rewrite covers_spec in H.
  apply H; [|assumption]. destruct x; simpl; auto.
Qed.

Lemma U_nonneg : forall (M : mech) x h, 0 <= U M x h.
Proof.
  intros. apply Rmult_le_pos; [apply like_nonneg|]. unfold bud, five_eighths.
  apply capped_budget_nonneg; lra.
Qed.

Lemma least_step : forall (M : mech) h r, allows M h r = true ->
  ucharge M 1 true false h r + sumf (p_outs h r) (fun y => least M ((r, Some y) :: h)) <= least M h.
Proof.
  intros M h r Ha. assert (G : forall x, ucharge M 1 true false h r
    + sumf (p_outs h r) (fun y => U M x ((r, Some y) :: h)) <= U M x h).
  { intros x. replace (ucharge M 1 true false h r) with (ucharge M 1 x (negb x) h r)
      by (destruct x; simpl; [reflexivity | apply mirrored]).
    apply capped_step; [lra | apply allows_both; exact Ha]. }
  apply Rmin_glb; (eapply Rle_trans; [apply Rplus_le_compat_l, sumf_le | apply (G true) ||
    apply (G false)]);
  intros y _; [apply Rmin_l | apply Rmin_r].
Qed.

(* after the first randomised response neither direction holds more than 1/4, in its own units *)
Lemma after_rr : forall M, starts_rr M = true ->
  ucharge M 1 true false [] tt = 1/2 /\
  forall x, like M x [(tt, Some (negb x))] = 1/4 /\ bud M x [(tt, Some (negb x))] < 1/4.
Proof.
  intros M Hs. pose proof (starts_rr_spec M Hs) as E.
  assert (L : forall x y, like M x [(tt, Some y)] = rr x y) by (intros; simpl; rewrite E; ring).
  assert (X : forall x y, excess M 1 x (negb x) [(tt, Some y)] = pos (rr x y - rr (negb x) y)).
  { intros. unfold excess. rewrite !L. f_equal. ring. }
  assert (C : forall x, ucharge M 1 x (negb x) [] tt = 1/2).
  { intros x. unfold ucharge, p_outs. rewrite !sumf_cons, !X. rewrite excess_nil by lra.
    destruct x; unfold sumf, rr, pos, Rmax; simpl; repeat (destruct (Rle_dec _ _)); lra. }
  split; [apply (C true)|]. intros x. split; [rewrite L; destruct x; reflexivity|].
  assert (K : charge M 1 x (negb x) [] tt = 1/2)
    by (unfold charge; simpl like; destruct (Rlt_dec 0 1); [rewrite C; field | lra]).
  unfold bud. cbn [capped_budget]. rewrite K.
  replace (d - 1/2) with (1/8) by (unfold five_eighths; lra).
  pose proof (level_affordable M 1 x (negb x) [] tt (1/8) ltac:(lra)) as H.
  set (t := level M 1 x (negb x) [] tt (1/8)) in *. unfold poured, p_outs in H.
  rewrite !sumf_cons, !E in H. cbn [sumf fold_right] in H.
  assert (R : forall y, headroom M 1 x (negb x) [(tt, Some y)] = if Bool.eqb x y then 1/3 else 1).
  { intros y. unfold headroom. rewrite L, X. destruct x, y; unfold rr, pos, Rmax; simpl;
    repeat (destruct (Rlt_dec _ _)); repeat (destruct (Rle_dec _ _)); lra. }
  rewrite !R in *. destruct x; cbn [negb Bool.eqb] in *; unfold rr in H; simpl in H;
  unfold Rmin in *; repeat (destruct (Rle_dec _ _)); lra.
Qed.

(* one budget for both directions, in mass *)
Definition purse (M : mech) (h : hist unit bool) : R :=
  if (length h =? 1)%nat && starts_rr M then 1/16 else least M h.

Lemma purse_nonneg : forall M h, 0 <= purse M h.
Proof.
  intros. unfold purse. destruct (_ && _); [lra|]. apply Rmin_glb; apply U_nonneg.
Qed.

Lemma least_below_purse : forall M h, (forall a, In a h -> exists y, snd a = Some y) ->
  least M h <= purse M h.
Proof.
  intros M h Hall. unfold purse. destruct (_ && _) eqn:E; [|lra].
  apply andb_true_iff in E. destruct E as [En Es]. apply Nat.eqb_eq in En.
  destruct h as [|[[] o] [|]]; try discriminate. destruct (Hall _ (or_introl eq_refl)) as [y Ey].
  simpl in Ey. subst o. destruct (after_rr M Es) as [_ H].
  apply Rle_trans with (U M (negb y) [(tt, Some y)]).
  - destruct y; [apply Rmin_r | apply Rmin_l].
  - specialize (H (negb y)). cbv beta. rewrite negb_involutive in *. destruct H as [-> H]. lra.
Qed.

Theorem thrifty_private : forall M x, private p_menu M (thrifty M) 1 d x (negb x).
Proof.
  intros M x. apply (budget_sound (thrifty M) M 1 x (negb x) d (purse M)); [lra|].
  split; [unfold purse; simpl; unfold bud, Rmin; simpl; destruct (Rle_dec _ _); lra|].
  split; [intros; apply purse_nonneg|]. intros h [] Hr _. unfold toll.
  replace (ucharge M 1 x (negb x) h tt) with (ucharge M 1 true false h tt)
    by (destruct x; simpl; [reflexivity | apply mirrored]).
  assert (Hall : forall a, In a h -> exists y, snd a = Some y).
  { clear x. induction h as [|[[] o] h IH]; [intros a []|]. destruct Hr as (Hr & _ & Ho & Hg).
    intros a [<-|Ha]; [|auto]. unfold replies in Ho. unfold thrifty in *.
    destruct (allows M h tt); simpl in *; [|destruct (extra M h); simpl in *; discriminate].
    destruct Ho as [<-|[<-|[]]]; eauto. }
  unfold thrifty, replies. destruct (allows M h tt) eqn:Ea; simpl runs; simpl goes_on; cbv iota.
  - rewrite sumf_map. pose proof (least_step M h tt Ea) as H.
    pose proof (least_below_purse M h Hall).
    destruct h as [|a h].
    + destruct (starts_rr M) eqn:Es.
      * destruct (after_rr M Es) as [-> _]. unfold purse, p_outs. rewrite Es. simpl.
        unfold bud, Rmin. simpl.
        unfold five_eighths. destruct (Rle_dec _ _); lra.
      * eapply Rle_trans; [|eapply Rle_trans; [exact H | assumption]].
        apply Rplus_le_compat_l, sumf_le. intros y _. unfold purse. rewrite Es, andb_false_r. lra.
    + eapply Rle_trans; [|eapply Rle_trans; [exact H | assumption]].
      apply Rplus_le_compat_l, sumf_le. intros y _. unfold purse. simpl length. simpl. lra.
  - destruct (extra M h) eqn:Ex; simpl runs; simpl goes_on; cbv iota; rewrite sumf_zero.
    + unfold extra in Ex. apply andb_true_iff in Ex. destruct Ex as [E1 E2]. apply Rleb_true in E2.
      unfold purse. rewrite E1. lra.
    + pose proof (purse_nonneg M h). lra.
Qed.

(* ---------- a game on which it runs more ---------- *)
(* randomised response; then true says "true" with probability 3/4 and false never does *)
Definition lame_pr (x : bool) (h : hist unit bool) (_ : unit) (y : bool) : R :=
  match h with
  | [] => rr x y
  | _ => if x then rr true y else if y then 0 else 1
  end.
Lemma lame_nonneg : forall x h r y, 0 <= lame_pr x h r y.
Proof. intros [|] [|a h] r [|]; unfold lame_pr, rr; simpl; lra. Qed.
Lemma lame_sum : forall x h r, sumf (p_outs h r) (lame_pr x h r) = 1.
Proof. intros [|] [|a h] r; unfold lame_pr, p_outs, rr; simpl; lra. Qed.
Definition lame : mech := Build_mechanism _ _ bool p_outs lame_pr lame_nonneg lame_sum.

Theorem pairs_not_maximal : exists F : mech -> filter unit bool,
  causal F /\
  (forall M h r, capped M 1 both d h r = Continue -> F M h r = Continue) /\
  (forall M x, private p_menu M (F M) 1 d x (negb x)) /\
  exists M h r, reached p_menu p_outs (capped M 1 both d) h /\ capped M 1 both d h r = Halt /\
    runs (F M h r) = true.
Proof.
  exists thrifty. split; [apply thrifty_causal|]. split; [|split; [apply thrifty_private|]].
  { intros M h r H. unfold capped, gate in H. unfold thrifty. destruct (allows M h r); congruence. }
  assert (Es : starts_rr lame = true).
  { unfold starts_rr. simpl. rewrite !andb_true_iff, !Rleb_true. lra. }
  destruct (after_rr lame Es) as [E1 E2]. destruct (E2 false) as [L B]. simpl negb in *. clear E2.
  set (h := [(tt, Some true)]) in *.
  assert (A0 : allows lame [] tt = true).
  { apply covers_spec. intros z z' Hz _.
    assert (z' = negb z) by (destruct Hz as [H|[H|[]]]; inversion H; auto).
    subst z'. unfold charge. simpl like. destruct (Rlt_dec 0 1); [|lra].
    replace (ucharge lame 1 z (negb z) [] tt) with (1/2);
      [simpl; unfold five_eighths; lra | rewrite <- E1; destruct z; simpl;
        [reflexivity | apply mirrored]]. }
  assert (Eu : ucharge lame 1 true false h tt = 1/16).
  { unfold ucharge, excess, p_outs, h, pos, Rmax, lame, rr. simpl.
    repeat (destruct (Rle_dec _ _)); unfold rr in *; simpl in *; lra. }
  assert (A1 : allows lame h tt = false).
  { apply not_true_iff_false. intros H. pose proof (allows_both lame h tt H false) as G.
    simpl negb in G.
    unfold charge in G. rewrite L in G. destruct (Rlt_dec 0 (1/4)); [|lra].
    rewrite <- mirrored, Eu in G. lra. }
  exists lame, h, tt. split; [|split].
  - unfold h; cbn [reached]. unfold replies, capped, gate. rewrite A0. simpl. auto 8.
  - unfold capped, gate. rewrite A1. reflexivity.
  - unfold thrifty. rewrite A1. unfold extra. rewrite Es, Eu. simpl.
    replace (Rleb (1/16) (1/16)) with true; [reflexivity|]. symmetry. apply Rleb_true. lra.
Qed.
