(* What the filter to run relies on: charges from profiles, from intervals, and from nothing.

   In words: a round asked at realised loss l costs E_x[h(l + L)] - h(l) (`charge_at_loss`).  That is
     - delta(eps - l) of the mechanism's own profile where l <= eps (`cost_below`),
     - e^(eps - l) delta(l - eps) of the profile in the opposite direction where l >= eps
       (`cost_above`), and nothing where l is infinite (`charge_revealed`).
   As a function of l it rises up to l = eps and falls from there (`cost_rises`, `cost_falls`); at
   l = eps it is the total variation distance, the most it can be, and so what a round costs whose
   loss is not known (`cost_le_tv`).

   So what is computed from an interval around l and one around eps is never too small
   (`quote_bounds`), and a filter that runs a round only if what is booked and what is asked stay
   within delta is (eps, delta)-DP on countable outputs, whatever else it answers
   (`runtime_private`).  Profiles may be bounded from above, what is booked may be too much, and
   intervals may be too wide: rounding outward is covered.  That a program's arithmetic does round
   outward is not part of it. *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model CountableSums Countable.
Import ListNotations.
Open Scope R_scope.

Section Charges.
Context {Db Req Out : Type} {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variable eps : R.
Variables (h : hist Req Out) (r : Req).

(* delta of the round at odds t = e^epsilon, from x to x' *)
Definition profile (x x' : Db) (t : R) : R :=
  Series (fun n => pos (cpr M x h r (out h r n) - t * cpr M x' h r (out h r n))).
Definition tv (x x' : Db) : R := profile x x' 1.

(* E_x[h(l + L)] - h(l): what the round costs at realised loss l *)
Definition cost (x x' : Db) (l : R) : R := profile x x' (exp (eps - l)) - pos (1 - exp (eps - l)).

Lemma profile_ex : forall x x' t, 0 <= t ->
  ex_series (fun n => pos (cpr M x h r (out h r n) - t * cpr M x' h r (out h r n))).
Proof.
  intros x x' t Ht. apply (ex_series_below _ (fun n => cpr M x h r (out h r n))); [|apply cpr_ex].
  intros n. pose proof (cpr_nonneg M x h r (out h r n)).
  pose proof (cpr_nonneg M x' h r (out h r n)).
  split; [apply pos_ge | apply pos_le; nra].
Qed.

Lemma profile_antitone : forall x x' s t, 0 <= s <= t -> profile x x' t <= profile x x' s.
Proof.
  intros x x' s t Hst. apply series_le; [apply profile_ex; lra | apply profile_ex; lra |].
  intros n. pose proof (cpr_nonneg M x' h r (out h r n)).
  pose proof (pos_ge (cpr M x h r (out h r n) - s * cpr M x' h r (out h r n))).
  apply pos_le; nra.
Qed.

Lemma profile_nonneg : forall x x' t, 0 <= t -> 0 <= profile x x' t.
Proof. intros. apply series_nonneg; [apply profile_ex; assumption | intros; apply pos_ge]. Qed.

(* a - pos(a) = - pos(-a), summed over the outputs *)
Lemma profile_reversed : forall x x' t, 0 < t ->
  profile x x' t - (1 - t) = t * profile x' x (/ t).
Proof.
  intros x x' t Ht. unfold profile. assert (Hi : 0 < / t) by (apply Rinv_0_lt_compat; assumption).
  assert (X1 := cpr_ex M x h r).
  assert (X2 : ex_series (fun n => t * cpr M x' h r (out h r n)))
    by (apply ex_series_scaled, cpr_ex).
  replace (1 - t) with (Series (fun n => cpr M x h r (out h r n) - t * cpr M x' h r (out h r n))).
  2:{ rewrite Series_minus, Series_scal_l by assumption.
      rewrite !(is_series_unique _ _ (cpr_sum M _ h r)). ring. }
  rewrite <- Series_scal_l, <- Series_minus; [|apply profile_ex; lra | apply ex_series_diff;
    assumption].
  apply Series_ext. intros n.
  set (p := cpr M x h r (out h r n)). set (q := cpr M x' h r (out h r n)).
  assert (E : t * (q - / t * p) = t * q - p) by (field; lra).
  unfold pos, Rmax. destruct (Rle_dec 0 (p - t * q)), (Rle_dec 0 (q - / t * p)); nra.
Qed.

Lemma odds : forall a, 0 < exp a /\ (a <= 0 -> exp a <= 1) /\ (0 <= a -> 1 <= exp a).
Proof.
  intros a. split; [apply exp_pos|]. rewrite <- exp_0. split; intros [H|H].
  1,3: left; apply exp_increasing; assumption.
  1,2: rewrite <- H; lra.
Qed.

Lemma cost_below : forall x x' l, l <= eps -> cost x x' l = profile x x' (exp (eps - l)).
Proof.
  intros x x' l Hl. unfold cost. destruct (odds (eps - l)) as (_ & _ & H).
  rewrite pos_of_nonpos; [ring|]. specialize (H ltac:(lra)). lra.
Qed.

Lemma cost_above : forall x x' l, eps <= l ->
  cost x x' l = exp (eps - l) * profile x' x (exp (l - eps)).
Proof.
  intros x x' l Hl. unfold cost. destruct (odds (eps - l)) as (H0 & H & _).
  specialize (H ltac:(lra)).
  rewrite pos_of_nonneg by lra. rewrite (profile_reversed x x' _ H0). f_equal. f_equal.
  rewrite <- exp_Ropp. f_equal. ring.
Qed.

Theorem cost_rises : forall x x' l l', l <= l' <= eps -> cost x x' l <= cost x x' l'.
Proof.
  intros x x' l l' H. rewrite !cost_below by lra. apply profile_antitone.
  split; [left; apply exp_pos|]. destruct (Req_dec l l') as [->|N]; [lra|].
  left. apply exp_increasing. lra.
Qed.

Theorem cost_falls : forall x x' l l', eps <= l <= l' -> cost x x' l' <= cost x x' l.
Proof.
  intros x x' l l' H. unfold cost.
  destruct (odds (eps - l)) as (P & H1 & _). specialize (H1 ltac:(lra)).
  destruct (odds (eps - l')) as (P' & H2 & _). specialize (H2 ltac:(lra)).
  rewrite !pos_of_nonneg by lra.
  rewrite (profile_reversed x x' _ P), (profile_reversed x x' _ P').
  set (t := exp (eps - l)) in *. set (t' := exp (eps - l')) in *.
  assert (Ht : t' <= t).
  { unfold t, t'. destruct (Req_dec l l') as [->|N]; [lra|]. left. apply exp_increasing. lra. }
  assert (/ t <= / t') by (apply Rinv_le_contravar; assumption).
  assert (0 < / t) by (apply Rinv_0_lt_compat; assumption).
  pose proof (profile_antitone x' x (/ t) (/ t') ltac:(lra)).
  pose proof (profile_nonneg x' x (/ t') ltac:(lra)). nra.
Qed.

Lemma cost_at_eps : forall x x', cost x x' eps = tv x x'.
Proof.
  intros. rewrite cost_below by lra. unfold tv. f_equal. rewrite <- exp_0. f_equal. ring.
Qed.

Theorem cost_le_tv : forall x x' l, cost x x' l <= tv x x'.
Proof.
  intros x x' l. rewrite <- cost_at_eps. destruct (Rle_lt_dec l eps).
  - apply cost_rises. lra.
  - apply cost_falls. lra.
Qed.

(* total variation is the same in both directions *)
Theorem tv_symmetric : forall x x', tv x x' = tv x' x.
Proof.
  intros x x'. pose proof (profile_reversed x x' 1 ltac:(lra)) as H. rewrite Rinv_1 in H.
  unfold tv. lra.
Qed.

(* ---------- the realised loss of the transcript ---------- *)
(* l = log(w_x / w_x'), both positive *)
Definition at_loss (x x' : Db) (l : R) : Prop :=
  0 < clike M x h /\ clike M x h = exp l * clike M x' h.

Theorem charge_at_loss : forall x x' l, at_loss x x' l ->
  ccharge M (exp eps) x x' h r = cost x x' l.
Proof.
  intros x x' l [Hw Hl]. unfold ccharge. destruct (Rlt_dec 0 (clike M x h)); [|contradiction].
  set (w := clike M x h) in *. set (v := clike M x' h) in *.
  assert (Ev : exp eps * v = w * exp (eps - l)).
  { rewrite Hl. replace (exp eps) with (exp l * exp (eps - l)); [ring|]. rewrite <- exp_plus.
    f_equal. ring. }
  assert (S1 : forall a, pos (w * a) = w * pos a).
  { intros a. unfold pos, Rmax. destruct (Rle_dec 0 (w * a)), (Rle_dec 0 a); nra. }
  unfold cucharge. replace (cexcess M (exp eps) x x' h) with (w * pos (1 - exp (eps - l)))
    by (unfold cexcess; fold w v; rewrite Ev, <- S1; f_equal; ring).
  rewrite (Series_ext _ (fun n => w * pos (cpr M x h r (out h r n) -
    exp (eps - l) * cpr M x' h r (out h r n)))).
  - rewrite Series_scal_l. fold (profile x x' (exp (eps - l))). unfold cost. field. lra.
  - intros n. rewrite <- S1. unfold cexcess. f_equal. cbn [clike cchance]. fold w v.
    replace (exp eps * (v * cpr M x' h r (out h r n))) with
      (exp eps * v * cpr M x' h r (out h r n)) by ring.
    rewrite Ev. ring.
Qed.

Theorem charge_revealed : forall x x', clike M x' h = 0 -> ccharge M (exp eps) x x' h r = 0.
Proof.
  intros x x' Hz. unfold ccharge. destruct (Rlt_dec 0 (clike M x h)); [|reflexivity].
  assert (He : 0 <= exp eps) by (left; apply exp_pos).
  assert (E : cexcess M (exp eps) x x' h = clike M x h)
    by (unfold cexcess; rewrite Hz, Rmult_0_r, Rminus_0_r; apply pos_of_nonneg, clike_nonneg).
  pose proof (cucharge_range M (exp eps) x x' h r He).
  replace (cucharge M (exp eps) x x' h r) with 0 by lra. unfold Rdiv. ring.
Qed.
End Charges.

(* ---------- an interval in place of the loss ---------- *)
(* what the runtime asks for a round: P and P' bound the profile from x to x' and back, the loss is
   between lo and hi, and eps between elo and ehi *)
Definition quote (P P' : R -> R) (elo ehi : R) (lo hi : Rbar) : R :=
  match lo with
  | p_infty => 0
  | _ =>
    if Rbar_le_dec hi (Finite elo) then P (elo - real hi)
    else if Rbar_le_dec (Finite ehi) lo then exp (- (real lo - ehi)) * P' (real lo - ehi)
    else P 0
  end.

Section Quote.
Context {Db Req Out : Type} {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variables eps elo ehi : R.
Hypothesis Heps : elo <= eps <= ehi.

(* the realised loss, +oo where x' is impossible *)
Definition realised (x x' : Db) (h : hist Req Out) : Rbar :=
  if Rlt_dec 0 (clike M x' h) then Finite (ln (clike M x h / clike M x' h)) else p_infty.
Definition encloses (x x' : Db) (h : hist Req Out) (lo hi : Rbar) : Prop :=
  Rbar_le lo (realised x x' h) /\ Rbar_le (realised x x' h) hi.
Definition bounds_profile (P : R -> R) (x x' : Db) (h : hist Req Out) (r : Req) : Prop :=
  forall t, 0 <= t -> profile M h r x x' (exp t) <= P t.

Theorem quote_bounds : forall P P' x x' h r lo hi, 0 < clike M x h -> encloses x x' h lo hi ->
  bounds_profile P x x' h r -> bounds_profile P' x' x h r ->
  ccharge M (exp eps) x x' h r <= quote P P' elo ehi lo hi.
Proof.
  intros P P' x x' h r lo hi Hw [Hlo Hhi] HP HP'. unfold realised in *.
  assert (P0 : 0 <= P 0) by (eapply Rle_trans; [|apply HP; lra]; apply profile_nonneg; left;
    apply exp_pos).
  assert (Hpos : forall t, 0 <= t -> 0 <= P t /\ 0 <= P' t).
  { intros t Ht. split; (eapply Rle_trans; [|(apply HP + apply HP'); exact Ht]);
    apply profile_nonneg; left; apply exp_pos. }
  destruct (Rlt_dec 0 (clike M x' h)) as [Hv|Hv].
  2:{ assert (Z : clike M x' h = 0) by (pose proof (clike_nonneg M x' h); lra).
      rewrite charge_revealed by exact Z. unfold quote. destruct hi as [hi| |]; try contradiction.
      destruct lo as [lo| |]; [| lra |]; (destruct (Rbar_le_dec p_infty elo) as [C|_];
        [contradiction|]);
      (destruct (Rbar_le_dec ehi _) as [D|_]; [simpl in D | exact P0]); [|contradiction].
      apply Rmult_le_pos; [left; apply exp_pos | apply Hpos; simpl; lra]. }
  set (l := ln (clike M x h / clike M x' h)) in *.
  assert (Hl : at_loss M h x x' l).
  { split; [exact Hw|]. unfold l. rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption).
    field. lra. }
  rewrite (charge_at_loss M eps h r x x' l Hl). unfold quote.
  assert (T0 : cost M eps h r x x' l <= P 0).
  { eapply Rle_trans; [apply cost_le_tv|]. unfold tv. rewrite <- exp_0. apply HP. lra. }
  destruct lo as [lo| |]; [| contradiction |].
  - destruct (Rbar_le_dec hi elo) as [C|C].
    + destruct hi as [hi| |]; try contradiction. simpl in C, Hhi. simpl real.
      apply Rle_trans with (cost M eps h r x x' hi); [apply cost_rises; lra|].
      rewrite cost_below by lra. eapply Rle_trans; [|apply HP; lra]. apply profile_antitone.
      split; [left; apply exp_pos|]. destruct (Req_dec elo eps) as [->|N]; [lra|].
      left. apply exp_increasing. lra.
    + destruct (Rbar_le_dec ehi lo) as [D|D]; [|exact T0]. simpl in D, Hlo. simpl real.
      apply Rle_trans with (cost M eps h r x x' lo); [apply cost_falls; lra|].
      rewrite cost_above by lra. replace (- (lo - ehi)) with (ehi - lo) by ring.
      assert (E1 : exp (eps - lo) <= exp (ehi - lo))
        by (destruct (Req_dec eps ehi) as [->|N]; [lra | left; apply exp_increasing; lra]).
      assert (E2 : exp (lo - ehi) <= exp (lo - eps))
        by (destruct (Req_dec eps ehi) as [->|N]; [lra | left; apply exp_increasing; lra]).
      pose proof (exp_pos (lo - ehi)). pose proof (exp_pos (eps - lo)).
      pose proof (profile_antitone M h r x' x (exp (lo - ehi)) (exp (lo - eps)) ltac:(lra)).
      pose proof (HP' (lo - ehi) ltac:(lra)).
      pose proof (profile_nonneg M h r x' x (exp (lo - eps)) ltac:(lra)).
      apply Rmult_le_compat; lra.
  - destruct (Rbar_le_dec hi elo) as [C|C].
    + destruct hi as [hi| |]; try contradiction. simpl in C, Hhi. simpl real.
      apply Rle_trans with (cost M eps h r x x' hi); [apply cost_rises; lra|].
      rewrite cost_below by lra. eapply Rle_trans; [|apply HP; lra]. apply profile_antitone.
      split; [left; apply exp_pos|]. destruct (Req_dec elo eps) as [->|N]; [lra|].
      left. apply exp_increasing. lra.
    + destruct (Rbar_le_dec ehi m_infty) as [D|D]; [contradiction | exact T0].
Qed.
End Quote.

(* ---------- losses add up, and so do their intervals ---------- *)
(* once one end is infinite everything is lost; what is not known may be anything *)
Definition low_sum (a b : Rbar) : Rbar :=
  match a, b with
  | p_infty, _ | _, p_infty => p_infty
  | Finite a, Finite b => Finite (a + b)
  | _, _ => m_infty
  end.
Definition high_sum (a b : Rbar) : Rbar :=
  match a, b with Finite a, Finite b => Finite (a + b) | _, _ => p_infty end.

Section Intervals.
Context {Db Req Out : Type} {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.

(* the loss of one output, +oo where x' cannot have produced it *)
Definition output_loss (x x' : Db) (h : hist Req Out) (r : Req) (y : Out) : Rbar :=
  if Rlt_dec 0 (cpr M x' h r y) then Finite (ln (cpr M x h r y / cpr M x' h r y)) else p_infty.

Lemma realised_adds : forall x x' h r y, 0 < clike M x ((r, Some y) :: h) ->
  realised M x x' ((r, Some y) :: h) = high_sum (realised M x x' h) (output_loss x x' h r y).
Proof.
  intros x x' h r y Hw. pose proof (clike_parent M x h r _ Hw) as Hw'. cbn [clike cchance] in Hw.
  pose proof (cpr_nonneg M x h r y). assert (Hp : 0 < cpr M x h r y) by nra.
  pose proof (clike_nonneg M x' h). pose proof (cpr_nonneg M x' h r y).
  unfold realised, output_loss. cbn [clike cchance].
  destruct (Rlt_dec 0 (clike M x' h)) as [Hv|Hv], (Rlt_dec 0 (cpr M x' h r y)) as [Hq|Hq];
  destruct (Rlt_dec 0 (clike M x' h * cpr M x' h r y)) as [H2|H2]; try (exfalso; nra);
    [|reflexivity..].
  simpl. f_equal. rewrite <- ln_mult by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra.
Qed.

Lemma encloses_next : forall x x' h r y lo hi a b, 0 < clike M x ((r, Some y) :: h) ->
  encloses M x x' h lo hi -> Rbar_le a (output_loss x x' h r y) ->
  Rbar_le (output_loss x x' h r y) b ->
  encloses M x x' ((r, Some y) :: h) (low_sum lo a) (high_sum hi b).
Proof.
  intros x x' h r y lo hi a b Hw [Hlo Hhi] Ha Hb. unfold encloses.
  rewrite realised_adds by assumption.
  assert (N : forall z, realised M x x' h = z -> z <> m_infty)
    by (unfold realised; intros z <-; destruct (Rlt_dec _ _); discriminate).
  assert (N' : forall z, output_loss x x' h r y = z -> z <> m_infty)
    by (unfold output_loss; intros z <-; destruct (Rlt_dec _ _); discriminate).
  destruct (realised M x x' h) as [l| |] eqn:E1; [| |exfalso; apply (N _ eq_refl); reflexivity];
  (destruct (output_loss x x' h r y) as [k| |] eqn:E2; [| |exfalso; apply (N' _ eq_refl);
    reflexivity]);
  destruct lo, a, hi, b; simpl in *; try contradiction; split; simpl; auto; lra.
Qed.
End Intervals.

(* ---------- the filter ---------- *)
Section Books.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
        {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variable F : filter Req Out.
Variables eps elo ehi d : R.
Hypothesis Heps : elo <= eps <= ehi.
Variables x x' : Db.
(* bounds of each round's profiles and of each output's loss, what is booked, what is known *)
Variables P P' : hist Req Out -> Req -> R -> R.
Variables least most : hist Req Out -> Req -> Out -> Rbar.
Variable booked : hist Req Out -> R.
Variables lo hi : hist Req Out -> Rbar.
Local Notation asked h r := (quote (P h r) (P' h r) elo ehi (lo h) (hi h)).

(* what a mechanism is described by must bound the truth *)
Definition described : Prop :=
  (forall h r, bounds_profile M (P h r) x x' h r /\ bounds_profile M (P' h r) x' x h r) /\
  (forall h r y, 0 < cpr M x h r y -> Rbar_le (least h r y) (output_loss M x x' h r y) /\
     Rbar_le (output_loss M x x' h r y) (most h r y)).
(* the books: rounded outward, or wider still where an output was never heard of *)
Definition kept_books : Prop :=
  0 <= booked [] /\ Rbar_le (lo []) 0 /\ Rbar_le 0 (hi []) /\
  (forall h r, booked h <= booked ((r, None) :: h) /\
     Rbar_le (lo ((r, None) :: h)) (lo h) /\ Rbar_le (hi h) (hi ((r, None) :: h))) /\
  (forall h r y, booked h + asked h r <= booked ((r, Some y) :: h) /\
     Rbar_le (lo ((r, Some y) :: h)) (low_sum (lo h) (least h r y)) /\
     Rbar_le (high_sum (hi h) (most h r y)) (hi ((r, Some y) :: h))).

Lemma books_enclose : described -> kept_books ->
  forall h, 0 < clike M x h -> encloses M x x' h (lo h) (hi h).
Proof.
  intros [_ Hl] (_ & L0 & H0 & Hnone & Hsome). induction h as [|[r [y|]] h IH]; intros Hw.
  - unfold encloses, realised. simpl clike. destruct (Rlt_dec 0 1); [|lra].
    replace (ln (1 / 1)) with 0 by (rewrite Rdiv_1; symmetry; apply ln_1). auto.
  - pose proof (clike_parent M x h r _ Hw) as Hw'. specialize (IH Hw').
    assert (Hp : 0 < cpr M x h r y)
      by (cbn [clike cchance] in Hw; pose proof (cpr_nonneg M x h r y); nra).
    destruct (Hl h r y Hp) as [Ha Hb]. destruct (Hsome h r y) as (_ & B1 & B2).
    destruct (encloses_next M x x' h r y _ _ _ _ Hw IH Ha Hb) as [C1 C2].
    split; eapply Rbar_le_trans; eassumption.
  - destruct (Hnone h r) as (_ & B1 & B2). cbn [clike cchance] in Hw. rewrite Rmult_1_r in Hw.
    destruct (IH Hw) as [C1 C2].
    assert (E : realised M x x' ((r, None) :: h) = realised M x x' h)
      by (unfold realised; cbn [clike cchance]; rewrite !Rmult_1_r; reflexivity).
    unfold encloses. rewrite E. split; eapply Rbar_le_trans; eassumption.
Qed.

Theorem runtime_private : 0 <= eps -> 0 <= d -> described -> kept_books ->
  (forall h r, runs (F h r) = true -> 0 < clike M x h -> booked h + asked h r <= d) ->
  cprivate menu M F (exp eps) d x x'.
Proof.
  intros He Hd Hdesc Hbooks Hrun. pose proof (books_enclose Hdesc Hbooks) as Hl.
  destruct Hdesc as [HP _]. destruct Hbooks as (B0 & _ & _ & Hnone & Hsome).
  assert (He1 : 1 <= exp eps) by (apply odds; assumption).
  assert (Hq : forall h r, 0 < clike M x h -> ccharge M (exp eps) x x' h r <= asked h r).
  { intros h r Hw. destruct (HP h r). apply (quote_bounds M eps elo ehi Heps); auto. }
  assert (Hs : forall h, 0 < clike M x h -> cspent M (exp eps) x x' h <= booked h).
  { induction h as [|[r o] h IH]; intros Hw; [exact B0|].
    pose proof (clike_parent M x h r o Hw) as Hw'. specialize (IH Hw'). specialize (Hq h r Hw').
    destruct o as [y|]; cbn [cspent]; [destruct (Hsome h r y) | destruct (Hnone h r)]; lra. }
  apply cspending_private; auto. intros h r _ _ Hr Hw.
  specialize (Hs h Hw). specialize (Hq h r Hw). specialize (Hrun h r Hr Hw). lra.
Qed.
End Books.
