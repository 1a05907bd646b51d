(* Odometers: a report after every round, and a bound on how often the realised loss exceeds it.

   In words: an odometer lets everything run and reports a number eps_t, a function of what was released,
   carried as odds exp(eps_t); None is an infinite report, which nothing exceeds.  It keeps its promise
   for an ordered pair (x, x') if P_x(L_t > eps_t for some t) <= d for every adversary (`keeps`), whatever
   else is answered: a filter may stand before it.
     - `odometer_additive_keeps`: each round's loss exceeds log odds_i with probability at most delta_i;
       reported is the sum of the logs, and nothing once the delta_i exceed d;
     - `odometer_realised_keeps`: the largest realised loss of all pairs;
     - `odometer_forgiving_keeps`: the same without the pairs that were forgiven an infinite loss, at
       the price of f + (1 - f) b' = b;
     - those by Renyi sums are in OdometersRenyi.v.
   `odometer_stops_private`: a play in which no report exceeds eps is (eps, d)-DP.
   `odometer_per_round_refuted`: comparing each delta_i with d alone keeps no promise. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential Leak Ever.
Import ListNotations.
Open Scope R_scope.

Section Odometers.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.

Definition above (report : hist Req Out -> option R) (x x' : Db) (h : hist Req Out) : bool :=
  match report h with Some e => exceed M e x x' h | None => false end.

Definition keeps (report : hist Req Out -> option R) (d : R) : Prop :=
  forall x x', In (x, x') pairs -> seldom menu M F x (above report x x') d.

(* stopping before a report exceeds eps makes a filter *)
Theorem odometer_stops_private : forall report e d, 1 <= e -> keeps report d ->
  (forall h, seen menu outs F h -> exists e', report h = Some e' /\ e' <= e) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros report e d He Hk Hle x x' Hp A n. apply private_iff_hockey.
  eapply Rle_trans; [|apply (Hk x x' Hp A n)]. unfold prob.
  assert (E : law A F M x n [] (fun h => ind (ever (above report x x') h)) =
    leaves outs A F n [] (fun h => like M x h * ind (ever (above report x x') h)))
    by (rewrite leaves_law; simpl; ring).
  rewrite E. unfold hockey.
  assert (End : forall h, seen menu outs F h ->
    excess M e x x' h <= like M x h * ind (ever (above report x x') h)).
  { intros h Hs. pose proof (excess_le_like M e x x' h ltac:(lra)) as L.
    destruct (ever (above report x x') h) eqn:Ev; simpl; [lra|].
    assert (Ab : above report x x' h = false)
      by (destruct h; cbn [ever] in Ev; apply orb_false_iff in Ev; apply Ev).
    destruct (Hle h Hs) as (e' & Er & He'). unfold above in Ab. rewrite Er in Ab.
    apply Rltb_false in Ab. pose proof (like_nonneg M x' h). unfold excess.
    rewrite pos_of_nonpos by nra. lra. }
  assert (G : forall n h, reached menu outs F h -> leaves outs A F n h (excess M e x x') <=
    leaves outs A F n h (fun k => like M x k * ind (ever (above report x x') k))).
  { clear n E. induction n as [|n IH]; intros h Hr; [apply End, reached_seen; assumption|]. cbn [leaves].
    apply Rplus_le_compat; [apply Rmult_le_compat_l; [apply stops_nonneg | apply End, reached_seen; assumption]|].
    apply sumf_le; intros r Hin. apply Rmult_le_compat_l; [apply adv_nonneg|].
    apply sumf_le; intros o Ho. destruct (goes_on (F h r)) eqn:Eg; [apply IH | apply End]; simpl; auto. }
  apply G. exact I.
Qed.

(* ---------- the largest losses of the rounds ---------- *)
Section Additive.
Variables odds del : hist Req Out -> Req -> R.

(* under x a round's loss exceeds log odds with probability at most del, for every pair *)
Definition bounds_loss : Prop := forall h r, 1 <= odds h r /\ 0 <= del h r /\
  forall x x', In (x, x') pairs -> sumf (outs h r) (fun y =>
    pr M x h r y * ind (Rltb (odds h r * pr M x' h r y) (pr M x h r y))) <= del h r.

Definition additive_report (d : R) (h : hist Req Out) : option R :=
  if Rle_dec (total del h) d then Some (product odds h) else None.

Section Pair.
Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.
Hypothesis bound : bounds_loss.

(* the part of P_x whose loss is at most log odds *)
Definition mild (h : hist Req Out) (r : Req) (y : Out) : R :=
  pr M x h r y * ind (Rleb (pr M x h r y) (odds h r * pr M x' h r y)).

Lemma mild_part : part_of M x mild.
Proof.
  intros h r y. unfold mild. pose proof (pr_nonneg M x h r y). pose proof (ind_range
    (Rleb (pr M x h r y) (odds h r * pr M x' h r y))). nra.
Qed.

Lemma mild_leak : leaks_at_most (outs := outs) mild del.
Proof.
  intros h r. destruct (bound h r) as (_ & H1 & H2). split; [assumption|]. specialize (H2 x x' Hp).
  rewrite <- (pr_sum M x h r). rewrite (sumf_ext _ _ (mild h r) (fun y => pr M x h r y -
    pr M x h r y * ind (Rltb (odds h r * pr M x' h r y) (pr M x h r y)))).
  - rewrite sumf_minus. lra.
  - intros y _. unfold mild, Rleb, Rltb. destruct (Rle_dec _ _), (Rlt_dec _ _); simpl; lra.
Qed.

Lemma product_pos : forall h, 1 <= product odds h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. destruct (bound h r) as [Ho _]. nra.
Qed.

(* what is left of the mild part loses no more than the sum *)
Lemma mild_below : forall h, mass mild h <= product odds h * like M x' h /\
  (mass mild h = 0 \/ mass mild h = like M x h).
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [lra | |rewrite !Rmult_1_r; exact IH].
  destruct IH as [H1 H2]. pose proof (mass_range M x mild mild_part h) as [Hm _].
  pose proof (product_pos h). pose proof (like_nonneg M x' h). destruct (bound h r) as [Ho _].
  pose proof (pr_nonneg M x h r y). pose proof (pr_nonneg M x' h r y).
  unfold mild at 2 4 6. destruct (Rleb (pr M x h r y) (odds h r * pr M x' h r y)) eqn:E; simpl ind.
  - apply Rleb_true in E. rewrite !Rmult_1_r. split.
    + apply Rle_trans with (product odds h * like M x' h * (odds h r * pr M x' h r y)); [|right; ring].
      apply Rmult_le_compat; assumption.
    + destruct H2 as [->| ->]; [left | right]; ring.
  - rewrite !Rmult_0_r. split; [|auto]. apply Rmult_le_pos; apply Rmult_le_pos; lra.
Qed.

Lemma total_nonneg : forall h, 0 <= total del h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. destruct (bound h r) as (_ & Hd & _). lra.
Qed.

Variable d : R.
Hypothesis Hd : 0 <= d.

Definition mild_value (h : hist Req Out) : R :=
  if Rle_dec (total del h) d then leaking M x mild del d h else 0.

Lemma mild_value_nonneg : forall h, 0 <= mild_value h.
Proof.
  intros h. unfold mild_value. destruct (Rle_dec _ _) as [C|C]; [|lra].
  pose proof (leaking_ge M x mild mild_part del d h C). pose proof (mass_range M x mild mild_part h). lra.
Qed.

Lemma additive_seldom : seldom menu M F x (above (additive_report d) x x') d.
Proof.
  apply (ville menu M F x _ mild_value).
  - intros h _. apply mild_value_nonneg.
  - intros h _ E. unfold above, additive_report, mild_value in *. destruct (Rle_dec _ _) as [C|C]; [|discriminate].
    apply Rltb_true in E. destruct (mild_below h) as [H1 [H2|H2]]; [|lra].
    unfold leaking. rewrite H2. lra.
  - intros h r _ _. unfold replies. destruct (runs (F h r)).
    2:{ rewrite sumf_cons. unfold mild_value, leaking. simpl. rewrite Rmult_1_r. lra. }
    rewrite sumf_map. unfold mild_value at 1. cbn [total].
    destruct (Rle_dec (total del h + del h r) d) as [C|C].
    + eapply Rle_trans; [apply (leaking_step M x mild mild_part del d mild_leak h r C)|].
      unfold mild_value. destruct (bound h r) as (_ & Hl & _).
      destruct (Rle_dec (total del h) d); lra.
    + rewrite sumf_zero. apply mild_value_nonneg.
  - unfold mild_value, leaking. simpl. destruct (Rle_dec 0 d); lra.
  - assumption.
  - unfold above, additive_report. simpl. destruct (Rle_dec 0 d); [|reflexivity].
    apply Rltb_false. simpl. lra.
Qed.
End Pair.

Theorem odometer_additive_keeps : forall d, 0 <= d -> bounds_loss -> keeps (additive_report d) d.
Proof. intros d Hd Hb x x' Hp. apply additive_seldom; assumption. Qed.
End Additive.

(* ---------- the realised losses ---------- *)
(* a report that no realised loss of these pairs exceeds; an infinite loss needs an infinite report *)
Definition covers_losses (watched : Db -> Db -> hist Req Out -> Prop) (report : hist Req Out -> option R) : Prop :=
  forall h e, report h = Some e -> forall x x', In (x, x') pairs -> watched x x' h ->
    like M x h <= e * like M x' h.

Theorem odometer_realised_keeps : forall report d, 0 <= d ->
  covers_losses (fun _ _ _ => True) report -> keeps report d.
Proof.
  intros report d Hd Hc x x' Hp.
  assert (Never : forall h, above report x x' h = false).
  { intros h. unfold above. destruct (report h) as [e|] eqn:E; [|reflexivity].
    apply Rltb_false. apply (Hc h e E x x' Hp I). }
  apply (ville menu M F x _ (fun _ => 0)); [intros; lra | | | lra | assumption | apply Never].
  - intros h _ E. rewrite Never in E. discriminate.
  - intros h r _ _. rewrite sumf_zero. lra.
Qed.

(* the probability under x of the outputs that x' cannot produce, while both are possible *)
Definition exposed (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  if Rltb 0 (like M x h) && Rltb 0 (like M x' h)
  then sumf (outs h r) (fun y => pr M x h r y * ind (Rleb (pr M x' h r y) 0)) else 0.

(* the probability with which the pair's loss may still exceed the report; None if it was forgiven *)
Fixpoint forgiveness (d : R) (x x' : Db) (h : hist Req Out) : option R :=
  match h with
  | [] => Some d
  | (r, Some y) :: k =>
      match forgiveness d x x' k with
      | None => None
      | Some b =>
          if Rltb 0 (exposed x x' k r) && Rleb (exposed x x' k r) b
          then if Rleb (pr M x' k r y) 0 then None
               else Some ((b - exposed x x' k r) / (1 - exposed x x' k r))
          else Some b
      end
  | (_, None) :: k => forgiveness d x x' k
  end.

Definition stakes (d : R) (x x' : Db) (h : hist Req Out) : R :=
  match forgiveness d x x' h with None => 1 | Some b => b end.

Lemma exposed_range : forall x x' h r, 0 <= exposed x x' h r <= 1.
Proof.
  intros. unfold exposed. destruct (_ && _); [|lra]. split.
  - apply sumf_nonneg; intros y _. apply Rmult_le_pos; [apply pr_nonneg | apply ind_range].
  - apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply ind_range].
Qed.

Lemma stakes_nonneg : forall d x x' h, 0 <= d -> 0 <= stakes d x x' h.
Proof.
  intros d x x' h Hd. unfold stakes. induction h as [|[r [y|]] h IH]; cbn [forgiveness]; auto.
  destruct (forgiveness d x x' h) as [b|]; [|lra]. pose proof (exposed_range x x' h r) as R.
  destruct (Rltb 0 _ && Rleb _ b) eqn:E; [|assumption]. apply andb_true_iff in E. destruct E as [_ E].
  apply Rleb_true in E. destruct (Rleb _ 0); [lra|].
  destruct (Rle_lt_or_eq_dec _ _ (proj2 R)) as [C|C].
  - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - rewrite C in *. unfold Rdiv. replace (1 - 1) with 0 by ring.
    rewrite Rinv_0. lra.
Qed.

Lemma stakes_step : forall d x x' h r, 0 < like M x h ->
  sumf (outs h r) (fun y => pr M x h r y * stakes d x x' ((r, Some y) :: h)) <= stakes d x x' h.
Proof.
  intros d x x' h r Hl. unfold stakes. cbn [forgiveness].
  assert (Const : forall c, sumf (outs h r) (fun y => pr M x h r y * c) <= c)
    by (intros c; rewrite sumf_scal_r, pr_sum; lra).
  destruct (forgiveness d x x' h) as [b|]; [|apply Const].
  destruct (Rltb 0 (exposed x x' h r) && Rleb (exposed x x' h r) b) eqn:E; [|apply Const].
  apply andb_true_iff in E. destruct E as [E1 E2]. apply Rltb_true in E1. apply Rleb_true in E2.
  set (f := exposed x x' h r) in *.
  assert (Ef : sumf (outs h r) (fun y => pr M x h r y * ind (Rleb (pr M x' h r y) 0)) = f).
  { unfold f, exposed in *. destruct (_ && _); [reflexivity | lra]. }
  rewrite (sumf_ext _ _ _ (fun y => pr M x h r y * ((b - f) / (1 - f)) +
    (1 - (b - f) / (1 - f)) * (pr M x h r y * ind (Rleb (pr M x' h r y) 0)))).
  - rewrite sumf_plus, sumf_scal_r, sumf_scal, pr_sum, Ef.
    destruct (Rle_lt_or_eq_dec _ _ (proj2 (exposed_range x x' h r))) as [C|C]; fold f in C.
    + right. field. lra.
    + rewrite C in *. lra.
  - intros y _. destruct (Rleb (pr M x' h r y) 0); simpl ind; ring.
Qed.

Theorem odometer_forgiving_keeps : forall report d, 0 <= d ->
  covers_losses (fun x x' h => forgiveness d x x' h <> None) report -> keeps report d.
Proof.
  intros report d Hd Hc x x' Hp.
  assert (Only : forall h, above report x x' h = true -> forgiveness d x x' h = None).
  { intros h E. unfold above in E. destruct (report h) as [e|] eqn:Er; [|discriminate].
    apply Rltb_true in E. destruct (forgiveness d x x' h) eqn:Ef; [|reflexivity].
    assert (like M x h <= e * like M x' h) by (apply (Hc h e Er x x' Hp); congruence). lra. }
  apply (ville menu M F x _ (fun h => like M x h * stakes d x x' h)); auto.
  - intros h _. apply Rmult_le_pos; [apply like_nonneg | apply stakes_nonneg; assumption].
  - intros h _ E. unfold stakes. rewrite (Only h E). lra.
  - intros h r _ _. unfold replies. destruct (runs (F h r)).
    2:{ rewrite sumf_cons. unfold stakes. simpl. rewrite Rmult_1_r. lra. }
    rewrite sumf_map, (sumf_ext _ _ _ (fun y => like M x h *
      (pr M x h r y * stakes d x x' ((r, Some y) :: h)))) by (intros; cbn [like chance]; ring).
    rewrite sumf_scal. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [C|C].
    + apply Rmult_le_compat_l; [lra | apply stakes_step; assumption].
    + rewrite <- C. lra.
  - unfold stakes. simpl. lra.
  - apply not_true_iff_false. intros E. specialize (Only [] E). discriminate.
Qed.
End Odometers.

(* ---------- twin: each delta_i on its own ---------- *)
(* the sum is never consulted: reported is log 1 = 0 while every single delta_i is at most d *)
Definition per_round_report (h : hist unit sym) : option R := Some 1.

Theorem odometer_per_round_refuted :
  bounds_loss erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h) /\
  (forall h, er_p h <= 1/3) /\
  ~ keeps er_menu erasure [(true, false)] (fun _ _ => Continue) per_round_report (1/3).
Proof.
  assert (P : forall h, 0 <= er_p h <= 1/3) by (intros [|a h]; simpl; lra).
  split; [|split; [apply P|]].
  - intros h r. specialize (P h). split; [lra|]. split; [lra|].
    intros x x' [E|[E|[]]]; inversion E; subst; unfold er_outs, sumf; simpl; unfold er_pr, Rltb;
    repeat (destruct (Rlt_dec _ _)); simpl; lra.
  - intros K. apply (two_erasures_refuted 1 (fun _ _ => Continue)); [lra | reflexivity | reflexivity |].
    apply (odometer_stops_private er_menu erasure [(true, false)] (fun _ _ => Continue) per_round_report);
      [lra | exact K | | left; reflexivity].
    intros h _. exists 1. split; [reflexivity | lra].
Qed.
