(* Games with countably many outputs: what privacy means there, and what budgets prove.

   In words: the game of Model.v, but a round may have countably many outputs (noise on the
   integers, say), and a law is a series of terms >= 0 with sum 1.  Menus stay finite, the adversary
   is random and adaptive, a filter has its four answers.  If budgets >= 0 start at d or less, and
   every turn pays its charge and leaves, in expectation, no more than was there, then the filter is
   (eps, d)-DP for every adversary, horizon and event (`cbudget_sound`).  In particular every filter
   that keeps the sum of its charges within d is (`cspending_private`).

   Names are those of the finite model with a c in front.  A finite law is the case in which all but
   finitely many terms are 0.  Coins with infinitely many sides, for the adversary, are not modelled:
   the bound holds for each of their outcomes. *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model CountableSums.
Import ListNotations.
Open Scope R_scope.

(* ---------- the model ---------- *)
Record cmechanism {Req Out : Type} (Db : Type) (out : hist Req Out -> Req -> nat -> Out) := {
  cpr : Db -> hist Req Out -> Req -> Out -> R;
  cpr_nonneg : forall x h r y, 0 <= cpr x h r y;
  cpr_sum : forall x h r, is_series (fun n => cpr x h r (out h r n)) 1 }.
Arguments cpr {Req Out Db out} _ _ _ _ _.
Arguments cpr_nonneg {Req Out Db out} _ _ _ _ _.
Arguments cpr_sum {Req Out Db out} _ _ _ _.

Section Charges.
Context {Db Req Out : Type} {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variable e : R.

Definition cchance (x : Db) (h : hist Req Out) (r : Req) (o : option Out) : R :=
  match o with Some y => cpr M x h r y | None => 1 end.
Fixpoint clike (x : Db) (h : hist Req Out) : R :=
  match h with [] => 1 | (r, o) :: k => clike x k * cchance x k r o end.
Definition cexcess (x x' : Db) (h : hist Req Out) : R := pos (clike x h - e * clike x' h).

(* w_x(h) c(x, x', h, r), and the charge c itself *)
Definition cucharge (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  Series (fun n => cexcess x x' ((r, Some (out h r n)) :: h)) - cexcess x x' h.
Definition ccharge (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  if Rlt_dec 0 (clike x h) then cucharge x x' h r / clike x h else 0.
Fixpoint cspent (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 0
  | (r, Some _) :: k => cspent x x' k + ccharge x x' k r
  | (_, None) :: k => cspent x x' k
  end.

Lemma cpr_ex : forall x h r, ex_series (fun n => cpr M x h r (out h r n)).
Proof. intros. eexists. apply cpr_sum. Qed.

Lemma clike_nonneg : forall x h, 0 <= clike x h.
Proof.
  induction h as [|[r o] h IH]; simpl; [lra|]. apply Rmult_le_pos; [assumption|].
  destruct o; simpl; [apply cpr_nonneg | lra].
Qed.

Lemma clike_parent : forall x h r o, 0 < clike x ((r, o) :: h) -> 0 < clike x h.
Proof.
  intros x h r o H. pose proof (clike_nonneg x h) as [L|L]; [exact L|].
  simpl in H. rewrite <- L in H. lra.
Qed.

Lemma clike_series : forall x h r,
  is_series (fun n => clike x ((r, Some (out h r n)) :: h)) (clike x h).
Proof.
  intros x h r. rewrite <- (Rmult_1_r (clike x h)) at 1.
  apply is_series_scaled. apply cpr_sum.
Qed.

Lemma cexcess_range : forall x x' h, 0 <= e -> 0 <= cexcess x x' h <= clike x h.
Proof.
  intros x x' h He. split; [apply pos_ge|].
  pose proof (clike_nonneg x h). pose proof (clike_nonneg x' h). apply pos_le; [assumption | nra].
Qed.

Lemma cexcess_ex : forall x x' h r, 0 <= e ->
  ex_series (fun n => cexcess x x' ((r, Some (out h r n)) :: h)).
Proof.
  intros x x' h r He. apply (ex_series_below _ (fun n => clike x ((r, Some (out h r n)) :: h)));
    [intros; apply cexcess_range; assumption | eexists; apply clike_series].
Qed.

Theorem cucharge_range : forall x x' h r, 0 <= e ->
  0 <= cucharge x x' h r <= clike x h - cexcess x x' h.
Proof.
  intros x x' h r He. unfold cucharge.
  pose proof (clike_series x h r) as S1. pose proof (clike_series x' h r) as S2.
  pose proof (cexcess_ex x x' h r He) as Hx.
  set (exc := fun n => cexcess x x' ((r, Some (out h r n)) :: h)) in *.
  assert (Hg : clike x h - e * clike x' h <= Series exc).
  { rewrite <- (is_series_unique _ _ S1), <- (is_series_unique _ _ S2), <- Series_scal_l,
      <- Series_minus.
    - apply series_le; [|assumption|intros n; apply pos_ge].
      apply ex_series_diff; [eexists; exact S1|].
      apply ex_series_scaled. eexists; exact S2.
    - eexists; exact S1.
    - apply ex_series_scaled. eexists; exact S2. }
  assert (H0 : 0 <= Series exc) by (apply series_nonneg; [assumption | intros n; apply pos_ge]).
  assert (cexcess x x' h <= Series exc) by (apply pos_le; assumption).
  assert (Series exc <= clike x h).
  { rewrite <- (is_series_unique _ _ S1). apply series_le; [assumption | eexists; exact S1 |].
    intros n. apply cexcess_range. assumption. }
  lra.
Qed.

Lemma ccharge_spec : forall x x' h r, 0 <= e -> clike x h * ccharge x x' h r = cucharge x x' h r.
Proof.
  intros x x' h r He. unfold ccharge. destruct (Rlt_dec 0 (clike x h)) as [H|H]; [field; lra|].
  pose proof (clike_nonneg x h). pose proof (cucharge_range x x' h r He).
  pose proof (cexcess_range x x' h He). lra.
Qed.

Theorem ccharge_nonneg : forall x x' h r, 0 <= e -> 0 <= ccharge x x' h r.
Proof.
  intros x x' h r He. unfold ccharge. destruct (Rlt_dec 0 (clike x h)) as [H|H]; [|lra].
  apply Rmult_le_pos; [apply cucharge_range; assumption | left; apply Rinv_0_lt_compat; assumption].
Qed.
End Charges.

(* ---------- a filter plays an adversary ---------- *)
Section Play.
Context {Db Req Out : Type} {menu : hist Req Out -> list Req}
        {out : hist Req Out -> Req -> nat -> Out}.
Variable F : filter Req Out.
Variable M : cmechanism Db out.

(* a sum over what may be seen after request r: an output if the mechanism is run, else nothing *)
Definition creplies (h : hist Req Out) (r : Req) (g : option Out -> R) : R :=
  if runs (F h r) then Series (fun n => g (Some (out h r n))) else g None.
Definition creply (h : hist Req Out) (r : Req) (o : option Out) : Prop :=
  if runs (F h r) then exists n, o = Some (out h r n) else o = None.

Fixpoint creached (h : hist Req Out) : Prop :=
  match h with
  | [] => True
  | (r, o) :: k => creached k /\ In r (menu k) /\ creply k r o /\ goes_on (F k r) = true
  end.

Section Law.
Variable A : adversary menu.

(* E_x[ f(final transcript) ] with at most n more requests *)
Fixpoint claw (x : Db) (n : nat) (h : hist Req Out) (f : hist Req Out -> R) : R :=
  match n with
  | O => f h
  | S n' => stops A h * f h + sumf (menu h) (fun r => adv A h r *
      creplies h r (fun o => cchance M x h r o *
        (if goes_on (F h r) then claw x n' ((r, o) :: h) f else f ((r, o) :: h))))
  end.
Definition cprob (x : Db) (n : nat) (S : hist Req Out -> bool) : R :=
  claw x n [] (fun h => ind (S h)).

(* sanity: it is a probability law on final transcripts *)
Theorem ctotal_probability : forall x n h c, claw x n h (fun _ => c) = c.
Proof.
  induction n as [|n IH]; intros h c; [reflexivity|]. cbn [claw].
  rewrite (sumf_ext _ _ _ (fun r => adv A h r * c)); [rewrite sumf_scal_r; unfold stops; ring|].
  intros r _. f_equal. unfold creplies. destruct (runs (F h r)); cbn [cchance].
  - rewrite (Series_ext _ (fun k => c * cpr M x h r (out h r k)))
      by (intros k; destruct (goes_on (F h r)); rewrite ?IH; ring).
    rewrite Series_scal_l, (is_series_unique _ _ (cpr_sum M x h r)). ring.
  - destruct (goes_on (F h r)); rewrite ?IH; ring.
Qed.

Variable f : hist Req Out -> R.
Hypothesis f_range : forall h, 0 <= f h <= 1.

Lemma claw_range : forall x n h, 0 <= claw x n h f <= 1.
Proof.
  intros x n. induction n as [|n IH]; intros h; [apply f_range|]. cbn [claw].
  assert (T : forall r, 0 <= creplies h r (fun o => cchance M x h r o *
      (if goes_on (F h r) then claw x n ((r, o) :: h) f else f ((r, o) :: h))) <= 1).
  { intros r. unfold creplies. destruct (runs (F h r)); cbn [cchance].
    - apply series_avg; [intros; apply cpr_nonneg | apply cpr_sum |].
      intros k. destruct (goes_on (F h r)); auto.
    - rewrite Rmult_1_l. destruct (goes_on (F h r)); auto. }
  split.
  - apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply stops_nonneg | apply f_range]|].
    apply sumf_nonneg; intros r _. apply Rmult_le_pos; [apply adv_nonneg | apply T].
  - unfold stops. apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | apply f_range |].
    intros r _. apply T.
Qed.
End Law.

(* ---------- budgets ---------- *)
Variable e : R.
Definition ctoll (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  if runs (F h r) then cucharge M e x x' h r else 0.

(* as in Identity.v; the budgets of a round's outputs must have a sum *)
Definition cbudget_ok (x x' : Db) (d : R) (U : hist Req Out -> R) : Prop :=
  U [] <= d /\
  (forall h, creached h -> 0 <= U h) /\
  (forall h r, creached h -> In r (menu h) ->
     ex_series (fun n => U ((r, Some (out h r n)) :: h)) /\
     ctoll x x' h r + (if goes_on (F h r) then creplies h r (fun o => U ((r, o) :: h)) else 0)
       <= U h).

Section Sound.
Hypothesis He : 0 <= e.
Variable A : adversary menu.
Variables x x' : Db.
Variable d : R.
Variable U : hist Req Out -> R.
Hypothesis HU : cbudget_ok x x' d U.
Variable f : hist Req Out -> R.
Hypothesis f_range : forall h, 0 <= f h <= 1.

(* what x gains over x' from h on, in mass *)
Definition gain (v v' : R) (h : hist Req Out) : R := clike M x h * v - e * clike M x' h * v'.

Lemma gain_here : forall h v, 0 <= v <= 1 -> gain v v h <= cexcess M e x x' h.
Proof.
  intros h v Hv. unfold gain. destruct (pos_ge (clike M x h - e * clike M x' h)) as [H0 H1].
  fold (cexcess M e x x' h) in *. nra.
Qed.

Lemma gain_turn : forall h r (v v' : option Out -> R), creached h -> In r (menu h) ->
  (forall o, 0 <= v o <= 1) -> (forall o, 0 <= v' o <= 1) ->
  (forall o, creply h r o -> gain (v o) (v' o) ((r, o) :: h) <=
     cexcess M e x x' ((r, o) :: h) + if goes_on (F h r) then U ((r, o) :: h) else 0) ->
  gain (creplies h r (fun o => cchance M x h r o * v o))
       (creplies h r (fun o => cchance M x' h r o * v' o)) h <= cexcess M e x x' h + U h.
Proof.
  intros h r v v' Hr Hin Hv Hv' IH. destruct HU as (_ & _ & Hstep).
  destruct (Hstep h r Hr Hin) as [HexU Hpay]. clear Hstep.
  unfold ctoll, creplies, creply in *. destruct (runs (F h r)).
  2:{ specialize (IH None eq_refl). unfold gain in *. cbn [clike cchance] in *.
      replace (cexcess M e x x' ((r, None) :: h)) with (cexcess M e x x' h) in IH
        by (unfold cexcess; cbn [clike cchance]; rewrite !Rmult_1_r; reflexivity).
      destruct (goes_on (F h r)); lra. }
  set (y := out h r) in *.
  assert (X1 : ex_series (fun n => cpr M x h r (y n) * v (Some (y n))))
    by (apply (ex_series_avg _ _ 1); auto using cpr_nonneg; apply cpr_ex).
  assert (X2 : ex_series (fun n => cpr M x' h r (y n) * v' (Some (y n))))
    by (apply (ex_series_avg _ _ 1); auto using cpr_nonneg; apply cpr_ex).
  assert (X3 : ex_series (fun n => cexcess M e x x' ((r, Some (y n)) :: h)))
    by (apply cexcess_ex; assumption).
  assert (X4 : ex_series (fun n => if goes_on (F h r) then U ((r, Some (y n)) :: h) else 0)).
  { destruct (goes_on (F h r)); [assumption|].
    apply (ex_series_below _ (fun n => cpr M x h r (y n))); [|apply cpr_ex].
    intros n. pose proof (cpr_nonneg M x h r (y n)). lra. }
  cbn [cchance]. unfold gain. rewrite <- !Series_scal_l, <- Series_minus by
    (apply ex_series_scaled; assumption).
  apply Rle_trans with (Series (fun n => cexcess M e x x' ((r, Some (y n)) :: h) +
    if goes_on (F h r) then U ((r, Some (y n)) :: h) else 0)).
  - apply series_le.
    + apply ex_series_diff; apply ex_series_scaled; assumption.
    + apply ex_series_sum; assumption.
    + intros n. specialize (IH (Some (y n)) (ex_intro _ n eq_refl)).
      unfold gain in IH. cbn [clike cchance] in IH. lra.
  - rewrite Series_plus by assumption. unfold cucharge in Hpay. fold y in Hpay.
    destruct (goes_on (F h r)); [|rewrite series_zero]; lra.
Qed.

Lemma gain_le_budget : forall n h, creached h ->
  gain (claw A x n h f) (claw A x' n h f) h <= cexcess M e x x' h + U h.
Proof.
  pose proof (proj1 (proj2 HU)) as Hpos.
  induction n as [|n IH]; intros h Hr; specialize (Hpos h Hr).
  { pose proof (gain_here h (f h) (f_range h)). cbn [claw]. lra. }
  cbn [claw]. set (v := fun z r o =>
    if goes_on (F h r) then claw A z n ((r, o) :: h) f else f ((r, o) :: h)).
  set (T := fun z r => creplies h r (fun o => cchance M z h r o * v z r o)).
  replace (gain _ _ h) with (stops A h * gain (f h) (f h) h
    + sumf (menu h) (fun r => adv A h r * gain (T x r) (T x' r) h)).
  2:{ unfold gain. rewrite (sumf_ext _ _ _ (fun r => clike M x h * (adv A h r * T x r)
        - e * clike M x' h * (adv A h r * T x' r))) by (intros; ring).
      rewrite sumf_minus, !sumf_scal. unfold T, v. ring. }
  unfold stops. apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | |].
  - pose proof (gain_here h (f h) (f_range h)). lra.
  - intros r Hin. apply gain_turn; try assumption.
    1,2: intros o; unfold v; destruct (goes_on (F h r)); auto using claw_range.
    intros o Ho. unfold v. destruct (goes_on (F h r)) eqn:Eg.
    + apply IH. simpl; auto.
    + pose proof (gain_here ((r, o) :: h) _ (f_range ((r, o) :: h))). lra.
Qed.
End Sound.
End Play.
Arguments creached {Req Out} menu out F h.
Arguments cprob {Db Req Out menu out} F M A.

(* (eps, d)-differential privacy of a filter for one ordered pair, outputs countable *)
Definition cprivate {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {out : hist Req Out -> Req -> nat -> Out} (M : cmechanism Db out) (F : filter Req Out)
    (e d : R) (x x' : Db) : Prop :=
  forall (A : adversary menu) n S, cprob F M A x n S <= e * cprob F M A x' n S + d.

Section Budgets.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
        {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variable F : filter Req Out.
Variables e d : R.
Variables x x' : Db.
Hypothesis He : 1 <= e.

Theorem cbudget_sound : forall U, cbudget_ok (menu := menu) F M e x x' d U ->
  cprivate menu M F e d x x'.
Proof.
  intros U HU A n S. assert (He0 : 0 <= e) by lra.
  pose proof (gain_le_budget F M e He0 A x x' d U HU
    (fun h => ind (S h)) (fun h => ind_range (S h)) n [] I) as H.
  unfold gain, cexcess in H. cbn [clike] in H. rewrite (pos_of_nonpos (1 - e * 1)) in H by lra.
  destruct HU as [H0 _]. unfold cprob. lra.
Qed.

(* only reached transcripts, requests on offer and possible databases are constrained *)
Definition cspends_within : Prop := forall h r, creached menu out F h -> In r (menu h) ->
  runs (F h r) = true -> 0 < clike M x h -> cspent M e x x' h + ccharge M e x x' h r <= d.

Lemma creached_spent : 0 <= d -> cspends_within ->
  forall h, creached menu out F h -> 0 < clike M x h -> cspent M e x x' h <= d.
Proof.
  intros Hd Hc h. induction h as [|[r o] h IH]; [simpl; lra|].
  intros (Hr & Hin & Ho & Hg) Hl. pose proof (clike_parent M x h r o Hl) as Hl'.
  unfold creply in Ho. destruct (runs (F h r)) eqn:Er.
  - destruct Ho as [n ->]. simpl. apply Hc; auto.
  - subst o. simpl. auto.
Qed.

Theorem cspending_private : 0 <= d -> cspends_within -> cprivate menu M F e d x x'.
Proof.
  intros Hd Hc. assert (He0 : 0 <= e) by lra.
  assert (Hpos : forall h, creached menu out F h -> 0 <= clike M x h * (d - cspent M e x x' h)).
  { intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (clike_nonneg M x h)) as [Hlt|Heq].
    - pose proof (creached_spent Hd Hc h Hr Hlt). nra.
    - rewrite <- Heq; lra. }
  apply (cbudget_sound (fun h => clike M x h * (d - cspent M e x x' h))).
  split; [simpl; lra|]. split; [exact Hpos|]. intros h r Hr Hin.
  assert (Hs : is_series (fun n => clike M x ((r, Some (out h r n)) :: h) *
      (d - cspent M e x x' ((r, Some (out h r n)) :: h)))
      (clike M x h * (d - (cspent M e x x' h + ccharge M e x x' h r)))).
  { rewrite (Rmult_comm (clike M x h)). cbn [cspent].
    apply (is_series_same (fun n => (d - (cspent M e x x' h + ccharge M e x x' h r)) *
      clike M x ((r, Some (out h r n)) :: h))); [intros; apply Rmult_comm|].
    apply is_series_scaled. apply clike_series. }
  split; [eexists; exact Hs|]. unfold ctoll, creplies.
  pose proof (ccharge_spec M e x x' h r He0) as Ec. specialize (Hpos h Hr).
  destruct (runs (F h r)) eqn:Er.
  - rewrite (is_series_unique _ _ Hs), <- Ec. destruct (goes_on (F h r)); [lra|].
    destruct (Rle_lt_or_eq_dec _ _ (clike_nonneg M x h)) as [Hlt|Heq]; [|rewrite <- Heq; lra].
    specialize (Hc h r Hr Hin Er Hlt). rewrite Rplus_0_r. apply Rmult_le_compat_l; lra.
  - cbn [clike cchance cspent]. destruct (goes_on (F h r)); lra.
Qed.
End Budgets.
