(* Potentials: a filter is private exactly if one round at a time is paid for.

   In words: take one ordered pair.  A potential is a number B per transcript, never negative where
   x is possible, that is at most d at the start, pays for every round that runs (what the outputs
   are given on average, and the round's charge, come to at most what there was), and is never raised
   by a refusal.  Then the filter is (eps, d)-DP for every random adaptive adversary, all four
   answers and any number of rounds (`potential_private`).  Conversely every private filter has one:
   B = V - h with V the value of backward induction over all horizons (`potential_exists`,
   `private_iff_potential`).

   `majorant_private` is the same in terms of V = B + h: a supermartingale above the excess. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit.
Import ListNotations.
Open Scope R_scope.

(* the filter runs a round only where a test allows it, whatever else it answers *)
Definition respects {Req Out : Type} (menu : hist Req Out -> list Req)
    (outs : hist Req Out -> Req -> list Out) (F : filter Req Out)
    (test : hist Req Out -> Req -> Prop) : Prop :=
  forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true -> test h r.

(* ---------- along the rounds that ran ---------- *)
Section Along.
Context {Req Out : Type}.
Fixpoint rounds (h : hist Req Out) : nat :=
  match h with
  | [] => O | (_, Some _) :: k => S (rounds k) | (_, None) :: k => rounds k
  end.
Fixpoint total (f : hist Req Out -> Req -> R) (h : hist Req Out) : R :=
  match h with
  | [] => 0 | (r, Some _) :: k => total f k + f k r | (_, None) :: k => total f k
  end.
Fixpoint product (f : hist Req Out -> Req -> R) (h : hist Req Out) : R :=
  match h with
  | [] => 1 | (r, Some _) :: k => product f k * f k r | (_, None) :: k => product f k
  end.
End Along.

Section Potential.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variable e : R.
Variables x x' : Db.
Local Notation exc := (excess M e x x').

(* what the outputs are given on average, and the charge, come to at most what there was *)
Definition pays_rounds (B : hist Req Out -> R) : Prop := forall h r,
  reached menu outs F h -> In r (menu h) -> 0 < like M x h -> runs (F h r) = true ->
  sumf (outs h r) (fun y => pr M x h r y * (if goes_on (F h r) then B ((r, Some y) :: h) else 0))
    + charge M e x x' h r <= B h.
Definition not_raised_by_refusal (B : hist Req Out -> R) : Prop := forall h r,
  reached menu outs F h -> In r (menu h) -> 0 < like M x h -> F h r = Refuse ->
  B ((r, None) :: h) <= B h.
Definition never_negative (B : hist Req Out -> R) : Prop := forall h,
  reached menu outs F h -> 0 < like M x h -> 0 <= B h.

Definition potential (d : R) (B : hist Req Out -> R) : Prop :=
  B [] <= d /\ never_negative B /\ pays_rounds B /\ not_raised_by_refusal B.

Theorem potential_private : forall d B, 1 <= e -> potential d B -> private menu M F e d x x'.
Proof.
  intros d B He (H0 & Hpos & Hrun & Href). assert (He0 : 0 <= e) by lra.
  apply (budget_sound F M e x x' d (fun h => like M x h * B h)); [assumption|].
  assert (Hpos' : forall h, reached menu outs F h -> 0 <= like M x h * B h).
  { intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hl|Hz].
    - apply Rmult_le_pos; auto; lra.
    - rewrite <- Hz; lra. }
  split; [simpl; lra|]. split; [exact Hpos'|]. intros h r Hr Hin.
  destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hl|Hz].
  - unfold toll, replies. destruct (runs (F h r)) eqn:Er.
    + rewrite sumf_map, <- (charge_spec M e x x' h r He0).
      rewrite (sumf_ext _ _ _ (fun y => like M x h * (pr M x h r y *
        (if goes_on (F h r) then B ((r, Some y) :: h) else 0)))).
      * rewrite sumf_scal, <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|].
        pose proof (Hrun h r Hr Hin Hl Er). lra.
      * intros y _. destruct (goes_on (F h r)); simpl; ring.
    + rewrite sumf_cons. simpl. destruct (F h r) eqn:EF; try discriminate Er; simpl.
      * pose proof (Hpos' h Hr). lra.
      * pose proof (Href h r Hr Hin Hl EF). nra.
  - unfold toll. rewrite (ucharge_skipped M e x x' h r He0) by auto.
    rewrite (sumf_ext _ _ _ (fun _ => 0)).
    + rewrite sumf_zero, <- Hz. destruct (runs (F h r)); lra.
    + intros o _. destruct (goes_on (F h r)); [simpl; rewrite <- Hz; ring | reflexivity].
Qed.

(* V = B + h, unnormalised *)
Definition majorant (d : R) (V : hist Req Out -> R) : Prop :=
  V [] <= d /\
  (forall h, reached menu outs F h -> exc h <= V h) /\
  (forall h r, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
     sumf (outs h r) (fun y => if goes_on (F h r) then V ((r, Some y) :: h)
       else exc ((r, Some y) :: h)) <= V h) /\
  (forall h r, reached menu outs F h -> In r (menu h) -> F h r = Refuse ->
     V ((r, None) :: h) <= V h).

Theorem majorant_private : forall d V, 1 <= e -> majorant d V -> private menu M F e d x x'.
Proof.
  intros d V He (H0 & Hle & Hrun & Href).
  apply (budget_sound F M e x x' d (fun h => V h - exc h)); [assumption|].
  split; [rewrite excess_nil by assumption; lra|].
  split; [intros h Hr; specialize (Hle h Hr); lra|].
  intros h r Hr Hin. rewrite toll_replies. unfold replies. destruct (runs (F h r)) eqn:Er.
  - rewrite !sumf_map. specialize (Hrun h r Hr Hin Er).
    rewrite (sumf_ext _ _ (fun y => if goes_on (F h r) then _ else 0) (fun y =>
      (if goes_on (F h r) then V ((r, Some y) :: h) else exc ((r, Some y) :: h))
      - exc ((r, Some y) :: h))) by (intros; destruct (goes_on (F h r)); ring).
    rewrite sumf_minus. lra.
  - rewrite !sumf_cons. simpl. rewrite excess_unreleased.
    destruct (F h r) eqn:EF; try discriminate Er; simpl.
    + specialize (Hle h Hr). lra.
    + specialize (Href h r Hr Hin EF). lra.
Qed.

(* d >= 1 promises nothing *)
Lemma trivially_private : forall d, 1 <= e -> 1 <= d -> private menu M F e d x x'.
Proof.
  intros d He Hd. apply (majorant_private d (like M x)); [assumption|].
  assert (Le : forall h, exc h <= like M x h) by (intros; apply excess_le_like; lra).
  split; [simpl; lra|]. split; [auto|]. split; intros h r _ _ _.
  - rewrite <- (like_outs M x h r). apply sumf_le; intros y _. destruct (goes_on (F h r)); auto; lra.
  - simpl. lra.
Qed.

(* a filter that runs nothing *)
Lemma idle_private : forall d, 1 <= e -> 0 <= d ->
  respects menu outs F (fun _ _ => False) -> private menu M F e d x x'.
Proof.
  intros d He Hd HF. apply (majorant_private d (fun _ => d)); [assumption|].
  split; [lra|]. split; [|split; intros h r Hr Hin E; [destruct (HF h r Hr Hin E) | lra]].
  assert (One : forall h, reached menu outs F h -> like M x h = 1 /\ like M x' h = 1).
  { induction h as [|[r o] h IH]; intros Hr; [simpl; auto|]. destruct Hr as (Hr & Hin & Ho & _).
    unfold replies in Ho. destruct (runs (F h r)) eqn:Er; [destruct (HF h r Hr Hin Er)|].
    destruct Ho as [<-|[]]. simpl. rewrite !Rmult_1_r. auto. }
  intros h Hr. destruct (One h Hr) as [E E']. unfold excess. rewrite E, E'.
  rewrite pos_of_nonpos; lra.
Qed.

(* ---------- the converse ---------- *)
Lemma worst_le_like : 0 <= e -> forall n h, worst menu M F e x x' n h <= like M x h.
Proof.
  intros He. induction n as [|n IH]; intros h; [apply excess_le_like; assumption|].
  cbn [worst]. unfold ask. destruct (best _ _ _ _ _ _ _ h) as [r|]; [|apply excess_le_like; auto].
  rewrite <- (like_replies outs F M x h r). apply sumf_le; intros o _.
  destruct (goes_on (F h r)); [apply IH | apply excess_le_like; assumption].
Qed.

Lemma ask_worst : forall n h r, In r (menu h) ->
  ask M F e x x' (worst menu M F e x x' n) h (Some r) <= worst menu M F e x x' (S n) h.
Proof. intros. cbn [worst]. apply best_max; assumption. Qed.

Lemma worst_longer : forall n h, worst menu M F e x x' n h <= worst menu M F e x x' (S n) h.
Proof.
  induction n as [|n IH]; intros h; [apply worst_ge|].
  change (worst menu M F e x x' (S n) h) with
    (ask M F e x x' (worst menu M F e x x' n) h (best menu M F e x x' (worst menu M F e x x' n) h)).
  destruct (best menu M F e x x' (worst menu M F e x x' n) h) as [r|] eqn:Eb; [|apply worst_ge].
  eapply Rle_trans; [|apply (ask_worst (S n) h r); eapply best_in; exact Eb].
  cbn [ask]. apply sumf_le; intros o _. destruct (goes_on (F h r)); [apply IH | lra].
Qed.

Lemma worst_monotone : forall n m h, (n <= m)%nat ->
  worst menu M F e x x' n h <= worst menu M F e x x' m h.
Proof.
  intros n m h Hnm. induction Hnm as [|m _ IH]; [lra|]. pose proof (worst_longer m h). lra.
Qed.

(* V: the supremum of the worst values over all horizons *)
Definition reaches (h : hist Req Out) (v : R) : Prop := exists n, v = worst menu M F e x x' n h.

Hypothesis He : 1 <= e.

Lemma reaches_bound : forall h, bound (reaches h).
Proof.
  intros h. exists (like M x h). intros v [n ->]. apply worst_le_like. lra.
Qed.
Lemma reaches_some : forall h, exists v, reaches h v.
Proof. intros h. exists (worst menu M F e x x' 0 h), 0%nat. reflexivity. Qed.

Definition value (h : hist Req Out) : R :=
  proj1_sig (completeness (reaches h) (reaches_bound h) (reaches_some h)).

Lemma value_ge : forall n h, worst menu M F e x x' n h <= value h.
Proof.
  intros n h. unfold value. destruct (completeness _ _ _) as [m [Hup Hlub]]. simpl.
  apply Hup. exists n; reflexivity.
Qed.
Lemma value_le : forall h c, (forall n, worst menu M F e x x' n h <= c) -> value h <= c.
Proof.
  intros h c H. unfold value. destruct (completeness _ _ _) as [m [Hup Hlub]]. simpl.
  apply Hlub. intros v [n ->]. apply H.
Qed.

(* suprema of growing sequences add up *)
Lemma sumf_value : forall (l : list (option Out)) r h c,
  (forall n, sumf l (fun o => worst menu M F e x x' n ((r, o) :: h)) <= c) ->
  sumf l (fun o => value ((r, o) :: h)) <= c.
Proof.
  induction l as [|a l IH]; intros r h c H; [apply (H O)|]. rewrite sumf_cons.
  assert (sumf l (fun o => value ((r, o) :: h)) <= c - value ((r, a) :: h)); [|lra].
  apply IH; intros n. cbv beta.
  assert (value ((r, a) :: h) <= c - sumf l (fun o => worst menu M F e x x' n ((r, o) :: h))); [|lra].
  apply value_le; intros m. specialize (H (max n m)). rewrite sumf_cons in H.
  pose proof (worst_monotone m (max n m) ((r, a) :: h) ltac:(lia)).
  assert (sumf l (fun o => worst menu M F e x x' n ((r, o) :: h))
    <= sumf l (fun o => worst menu M F e x x' (max n m) ((r, o) :: h)))
    by (apply sumf_le; intros; apply worst_monotone; lia).
  lra.
Qed.

Lemma value_step : forall h r, In r (menu h) ->
  sumf (replies outs F h r) (fun o => if goes_on (F h r) then value ((r, o) :: h)
    else exc ((r, o) :: h)) <= value h.
Proof.
  intros h r Hin. pose proof (fun n => Rle_trans _ _ _ (ask_worst n h r Hin) (value_ge (S n) h)) as H.
  cbn [ask] in H. destruct (goes_on (F h r)); [apply sumf_value; exact H | apply (H O)].
Qed.

(* B = V - h *)
Definition remaining (h : hist Req Out) : R := (value h - exc h) / like M x h.

Lemma remaining_spec : forall h, 0 < like M x h -> like M x h * remaining h = value h - exc h.
Proof. intros h Hl. unfold remaining. field. lra. Qed.

Theorem remaining_potential : forall d, value [] <= d -> potential d remaining.
Proof.
  intros d Hd. assert (He0 : 0 <= e) by lra.
  assert (Pos : forall h, 0 <= value h - exc h).
  { intros h. pose proof (value_ge 0 h). simpl in H. lra. }
  split; [|split; [|split]].
  - unfold remaining. rewrite excess_nil by assumption. simpl. lra.
  - intros h _ Hl. apply Rmult_le_pos; [apply Pos | left; apply Rinv_0_lt_compat; assumption].
  - intros h r _ Hin Hl Er. pose proof (value_step h r Hin) as Hv. unfold replies in Hv.
    rewrite Er, sumf_map in Hv.
    apply (Rmult_le_reg_l (like M x h)); [assumption|].
    rewrite Rmult_plus_distr_l, charge_spec, remaining_spec, <- sumf_scal by assumption.
    assert (S : sumf (outs h r) (fun y => like M x h * (pr M x h r y *
        (if goes_on (F h r) then remaining ((r, Some y) :: h) else 0)))
      <= sumf (outs h r) (fun y => (if goes_on (F h r) then value ((r, Some y) :: h)
        else exc ((r, Some y) :: h)) - exc ((r, Some y) :: h))).
    { apply sumf_le; intros y _. destruct (goes_on (F h r)); [|right; ring].
      rewrite <- Rmult_assoc. change (like M x h * pr M x h r y) with (like M x ((r, Some y) :: h)).
      destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x ((r, Some y) :: h))) as [L|Z].
      - right. apply remaining_spec. assumption.
      - rewrite <- Z, Rmult_0_l. apply Pos. }
    rewrite sumf_minus in S. unfold ucharge. lra.
  - intros h r _ Hin Hl Er. pose proof (value_step h r Hin) as Hv. unfold replies in Hv.
    rewrite Er in Hv. cbn in Hv. unfold remaining. rewrite excess_unreleased. cbn [like chance].
    rewrite Rmult_1_r. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; assumption | lra].
Qed.

Variable Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis menu_nodup : forall h, NoDup (menu h).

Theorem potential_exists : forall d, private menu M F e d x x' -> potential d remaining.
Proof.
  intros d Hp. apply remaining_potential, value_le. intros n.
  apply (audit_exact menu M F e x x' Req_eq menu_nodup n). intros A. apply Hp.
Qed.

Theorem private_iff_potential : forall d,
  private menu M F e d x x' <-> exists B, potential d B.
Proof.
  intros d. split.
  - intros Hp. exists remaining. apply potential_exists; assumption.
  - intros [B HB]. apply (potential_private d B); assumption.
Qed.
End Potential.
