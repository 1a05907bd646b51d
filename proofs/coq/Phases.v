(* Two phases: a private filter until it halts, then rounds paid for from a budget of their own.

   In words: ask an inner filter that is (eps, d1)-DP and do what it says until it says Halt; from
   then on run a round only if the charges of the rounds since then, with its own, stay within b for
   every pair that is still possible.  The whole is (eps, d1 + b)-DP, for every random adaptive
   adversary, horizon and any of the four answers in both phases (`phases_private`).

   `floor_private`: the compensator on (1 - a) d after any filter that is (eps, a d)-DP.
   `hybrid_private`, `hybrid_charge_private`: Pan's hybrid, b = 0: rounds in which no output takes a
   loss above eps, or the larger set of rounds whose charge is 0.
   All are conditional on the inner filter: combine them with its own theorem. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Potential.
Import ListNotations.
Open Scope R_scope.

Definition halts (a : decision) : bool := match a with Halt => true | _ => false end.

Section Phases.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variables inner second : filter Req Out.

(* the inner filter has not halted in the play that led here *)
Fixpoint first_phase (h : hist Req Out) : bool :=
  match h with [] => true | (r, _) :: k => first_phase k && negb (halts (inner k r)) end.
Definition inner_answers (h : hist Req Out) (r : Req) : bool :=
  first_phase h && negb (halts (inner h r)).
Definition in_turn : filter Req Out := fun h r =>
  if inner_answers h r then inner h r else second h r.

Variable e : R.

(* the charges of the rounds of the second phase *)
Fixpoint late (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 0
  | (r, Some _) :: k => late x x' k + (if inner_answers k r then 0 else charge M e x x' k r)
  | (_, None) :: k => late x x' k
  end.

Variables d b : R.
Variables x x' : Db.
Definition late_within : Prop := forall h r, reached menu outs in_turn h -> In r (menu h) ->
  inner_answers h r = false -> runs (second h r) = true -> 0 < like M x h ->
  late x x' h + charge M e x x' h r <= b.
Hypothesis Hb : 0 <= b.
Hypothesis Hlate : late_within.

Lemma late_le : forall h, reached menu outs in_turn h -> 0 < like M x h -> late x x' h <= b.
Proof.
  induction h as [|[r o] h IH]; intros Hr Hl; [exact Hb|]. destruct Hr as (Hr & Hin & Ho & Hg).
  pose proof (like_parent M x h r o Hl) as Hl'. specialize (IH Hr Hl').
  unfold replies in Ho. destruct (runs (in_turn h r)) eqn:Er.
  - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. cbn [late].
    destruct (inner_answers h r) eqn:Ei; [lra|]. apply Hlate; auto.
    unfold in_turn in Er. rewrite Ei in Er. exact Er.
  - destruct Ho as [<-|[]]. exact IH.
Qed.

Lemma rest_nonneg : forall h, reached menu outs in_turn h -> 0 <= like M x h * (b - late x x' h).
Proof.
  intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hl|Hz].
  - pose proof (late_le h Hr Hl). nra.
  - rewrite <- Hz. lra.
Qed.

Section Play.
Variable A : adversary menu.
Hypothesis He : 0 <= e.
Definition first_charges (n : nat) (h : hist Req Out) : R :=
  if first_phase h then charges A inner M e x x' n h else 0.

(* one request of the play: what both phases charge from here on *)
Lemma request_charges : forall n h r, reached menu outs in_turn h -> In r (menu h) ->
  (forall k, reached menu outs in_turn k ->
     charges A in_turn M e x x' n k <= first_charges n k + like M x k * (b - late x x' k)) ->
  toll in_turn M e x x' h r + sumf (replies outs in_turn h r) (fun o =>
    if goes_on (in_turn h r) then charges A in_turn M e x x' n ((r, o) :: h) else 0)
  <= (if first_phase h then toll inner M e x x' h r + sumf (replies outs inner h r) (fun o =>
        if goes_on (inner h r) then charges A inner M e x x' n ((r, o) :: h) else 0) else 0)
     + like M x h * (b - late x x' h).
Proof.
  intros n h r Hr Hin IH. pose proof (rest_nonneg h Hr) as Hrest.
  assert (Next : forall o, In o (replies outs in_turn h r) -> goes_on (in_turn h r) = true ->
    charges A in_turn M e x x' n ((r, o) :: h) <= first_charges n ((r, o) :: h)
      + like M x ((r, o) :: h) * (b - late x x' ((r, o) :: h)))
    by (intros o Ho Hg; apply IH; simpl; auto).
  assert (Phase : forall o, first_charges n ((r, o) :: h) =
    if inner_answers h r then charges A inner M e x x' n ((r, o) :: h) else 0) by reflexivity.
  destruct (inner_answers h r) eqn:Ei.
  - (* the inner filter answers *)
    assert (Ef : first_phase h = true) by (apply andb_true_iff in Ei; tauto). rewrite Ef.
    assert (EG : in_turn h r = inner h r) by (unfold in_turn; rewrite Ei; reflexivity).
    assert (ER : replies outs in_turn h r = replies outs inner h r)
      by (unfold replies; rewrite EG; reflexivity).
    assert (ET : toll in_turn M e x x' h r = toll inner M e x x' h r)
      by (unfold toll; rewrite EG; reflexivity).
    rewrite ET, ER, EG in *. destruct (goes_on (inner h r)) eqn:Eg; [|rewrite sumf_zero; lra].
    rewrite Rplus_assoc. apply Rplus_le_compat_l.
    apply Rle_trans with (sumf (replies outs inner h r) (fun o =>
      charges A inner M e x x' n ((r, o) :: h) + like M x ((r, o) :: h) * (b - late x x' h))).
    + apply sumf_le; intros o Ho. specialize (Next o Ho eq_refl). rewrite Phase in Next.
      replace (late x x' ((r, o) :: h)) with (late x x' h) in Next
        by (destruct o; cbn [late]; rewrite ?Ei; ring).
      exact Next.
    + rewrite sumf_plus, sumf_scal_r, like_replies. lra.
  - (* the second phase answers *)
    assert (First : 0 <= if first_phase h then toll inner M e x x' h r +
        sumf (replies outs inner h r) (fun o =>
          if goes_on (inner h r) then charges A inner M e x x' n ((r, o) :: h) else 0) else 0).
    { destruct (first_phase h); [|lra]. apply Rplus_le_le_0_compat; [apply toll_nonneg|].
      apply sumf_nonneg; intros o _. destruct (goes_on (inner h r)); [apply charges_nonneg | lra]. }
    cut (toll in_turn M e x x' h r + sumf (replies outs in_turn h r) (fun o =>
      if goes_on (in_turn h r) then charges A in_turn M e x x' n ((r, o) :: h) else 0)
      <= like M x h * (b - late x x' h)); [lra|].
    unfold toll. unfold replies in *. destruct (runs (in_turn h r)) eqn:Er.
    + rewrite sumf_map in *.
      assert (Hc : ucharge M e x x' h r <= like M x h * (b - late x x' h)).
      { rewrite <- (charge_spec M e x x' h r He).
        destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hl|Hz]; [|rewrite <- Hz; lra].
        apply Rmult_le_compat_l; [lra|]. unfold in_turn in Er. rewrite Ei in Er.
        pose proof (Hlate h r Hr Hin Ei Er Hl). lra. }
      destruct (goes_on (in_turn h r)) eqn:Eg; [|rewrite sumf_zero; lra].
      apply Rle_trans with (ucharge M e x x' h r + sumf (outs h r) (fun y =>
        like M x ((r, Some y) :: h) * (b - (late x x' h + charge M e x x' h r)))).
      * apply Rplus_le_compat_l. apply sumf_le; intros y Hy.
        specialize (Next (Some y) (in_map Some _ _ Hy) eq_refl). rewrite Phase in Next.
        cbn [late] in Next. rewrite Ei in Next. lra.
      * rewrite sumf_scal_r, like_outs, <- (charge_spec M e x x' h r He). lra.
    + rewrite sumf_cons. simpl sumf. destruct (goes_on (in_turn h r)) eqn:Eg; [|lra].
      specialize (Next None (or_introl eq_refl) eq_refl). rewrite Phase in Next.
      cbn [late like chance] in Next. lra.
Qed.

Lemma play_charges : forall n h, reached menu outs in_turn h ->
  charges A in_turn M e x x' n h <= first_charges n h + like M x h * (b - late x x' h).
Proof.
  induction n as [|n IH]; intros h Hr; pose proof (rest_nonneg h Hr) as Hrest.
  - unfold first_charges. cbn [charges]. destruct (first_phase h); lra.
  - apply Rle_trans with (sumf (menu h) (fun r => adv A h r *
      ((if first_phase h then toll inner M e x x' h r + sumf (replies outs inner h r) (fun o =>
        if goes_on (inner h r) then charges A inner M e x x' n ((r, o) :: h) else 0) else 0)
      + like M x h * (b - late x x' h)))).
    + cbn [charges]. apply sumf_le; intros r Hin.
      apply Rmult_le_compat_l; [apply adv_nonneg | apply request_charges; auto].
    + rewrite (sumf_ext _ _ _ (fun r => adv A h r * (if first_phase h then toll inner M e x x' h r
        + sumf (replies outs inner h r) (fun o => if goes_on (inner h r)
            then charges A inner M e x x' n ((r, o) :: h) else 0) else 0)
        + adv A h r * (like M x h * (b - late x x' h)))) by (intros; ring).
      rewrite sumf_plus, sumf_scal_r. pose proof (adv_sum A h) as Ha.
      assert (sumf (menu h) (adv A h) * (like M x h * (b - late x x' h))
        <= like M x h * (b - late x x' h)) by nra.
      unfold first_charges. destruct (first_phase h); cbn [charges]; [lra|].
      rewrite (sumf_ext _ _ _ (fun _ => 0)) by (intros; ring). rewrite sumf_zero. lra.
Qed.
End Play.

Theorem phases_private : 1 <= e -> private menu M inner e d x x' ->
  private menu M in_turn e (d + b) x x'.
Proof.
  intros He Hp A n. apply private_iff_hockey. rewrite identity by assumption.
  specialize (Hp A n). apply private_iff_hockey in Hp. rewrite identity in Hp by assumption.
  pose proof (play_charges A ltac:(lra) n [] I) as H. unfold first_charges in H. simpl in H. lra.
Qed.
End Phases.

(* ---------- the floor, and Pan's hybrids, for any list of pairs ---------- *)
Section Filters.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables inner second : filter Req Out.
Variable e : R.
Hypothesis He : 1 <= e.

(* the accounts of the second phase: none for a pair whose x is impossible *)
Definition floor_fits (share : R) (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h ->
  late M inner e x x' h + charge M e x x' h r <= share.

Theorem floor_private : forall a d x x', 0 <= a <= 1 -> 0 <= d -> In (x, x') pairs ->
  private menu M inner e (a * d) x x' ->
  (forall h r, runs (second h r) = true -> floor_fits ((1 - a) * d) h r) ->
  private menu M (in_turn inner second) e d x x'.
Proof.
  intros a d x x' Ha Hd Hp Hin HS. replace d with (a * d + (1 - a) * d) by ring.
  apply phases_private; auto.
  - apply Rmult_le_pos; lra.
  - intros h r _ _ _ Er Hl. apply HS; auto.
Qed.

(* every live pair is charged nothing *)
Definition free_round (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h -> charge M e x x' h r <= 0.

Theorem hybrid_charge_private : forall d x x', In (x, x') pairs ->
  private menu M inner e d x x' ->
  (forall h r, runs (second h r) = true -> free_round h r) ->
  private menu M (in_turn inner second) e d x x'.
Proof.
  intros d x x' Hp Hin HS. replace d with (d + 0) by ring. apply phases_private; [lra | | auto | auto].
  assert (Z : forall h, reached menu outs (in_turn inner second) h -> 0 < like M x h ->
    late M inner e x x' h <= 0).
  { induction h as [|[r o] h IH]; intros Hr Hl; [simpl; lra|]. destruct Hr as (Hr & Hm & Ho & Hg).
    pose proof (like_parent M x h r o Hl) as Hl'. specialize (IH Hr Hl').
    unfold replies in Ho. destruct (runs (in_turn inner second h r)) eqn:Er.
    - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. cbn [late].
      unfold in_turn in Er. destruct (inner_answers inner h r); [lra|].
      pose proof (HS h r Er x x' Hp Hl'). lra.
    - destruct Ho as [<-|[]]. exact IH. }
  intros h r Hr _ _ Er Hl. specialize (Z h Hr Hl). pose proof (HS h r Er x x' Hp Hl). lra.
Qed.

Theorem hybrid_private : forall d x x', In (x, x') pairs ->
  private menu M inner e d x x' ->
  (forall h r, runs (second h r) = true -> bayesian_allows M e pairs h r = true) ->
  private menu M (in_turn inner second) e d x x'.
Proof.
  intros d x x' Hp Hin HS. apply hybrid_charge_private; auto.
  intros h r Er y y' Hy Hl. specialize (HS h r Er).
  rewrite (bayesian_spec M e pairs h r ltac:(lra)) in HS. specialize (HS y y' Hy Hl).
  apply (Rmult_le_reg_l (like M y h)); [assumption|]. rewrite charge_spec by lra. unfold ucharge.
  rewrite (sumf_ext _ _ _ (fun _ => 0)) by assumption. rewrite sumf_zero.
  pose proof (excess_nonneg M e y y' h). lra.
Qed.
End Filters.
