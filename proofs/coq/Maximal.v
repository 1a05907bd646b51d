(* The capped compensator cannot be improved, for one ordered pair.

   In words: take a causal filter that is (eps, delta)-DP on every family of mechanisms.
     - `capped_maximal`: if it goes on wherever the capped compensator's test allows a round (at the
       transcripts that it reaches itself, refusals included), it runs no other round.
     - `capped_halting_maximal`: if it goes on wherever the halting capped compensator goes on, then
       at the transcripts which that one reaches it runs no round at which that one halts.
   The budgets are pinned down: what the level leaves over is exactly what was there
   (`shared_exactly`), and no branch holds more than it can lose, so erasures spend all of it off the
   path.

   Neither is empty: both filters, halting and refusing, satisfy the hypotheses (`capped_causal`,
   `refusing_capped_private`).  And "no filter runs more" without "at the transcripts which that one
   reaches" is false of the halting one: the refusing one goes on after the refusal
   (`refusing_outruns_halting`).  For several ordered pairs see Pairs.v. *)
From Coq Require Import Reals FunctionalExtensionality List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit Compensator Recycling Capped Causal
  Spoiler.
Import ListNotations.
Open Scope R_scope.

(* ---------- the capped test is causal ---------- *)
Section CausalCapped.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Local Notation mech := (mechanism Db outs).
Variables e d : R.

Lemma agree_headroom : forall x x' (M M' : mech) k, agree_below M M' k ->
  headroom M e x x' k = headroom M' e x x' k.
Proof.
  intros x x' M M' k H. unfold headroom.
  rewrite (agree_like M M'), (agree_excess e x x' M M') by assumption. reflexivity.
Qed.

Lemma agree_capped_budget : forall x x' (M M' : mech) k, agree_below M M' k ->
  capped_budget M e x x' d k = capped_budget M' e x x' d k.
Proof.
  intros x x' M M' k. induction k as [|[r [y|]] k IH]; intros H; [reflexivity | |];
  pose proof H as [H1 H2]; cbn [capped_budget]; [|auto].
  rewrite (agree_headroom x x' M M' _ H), IH, (agree_charge e x x' M M') by assumption. f_equal.
  unfold level. replace (pr M x k r) with (pr M' x k r)
    by (apply functional_extensionality; intros c; symmetry; apply H2).
  replace (fun c => headroom M' e x x' ((r, Some c) :: k)) with
    (fun c => headroom M e x x' ((r, Some c) :: k)); [reflexivity|].
  apply functional_extensionality. intros c. apply agree_headroom. simpl; auto.
Qed.

Lemma agree_capped_allows : forall pairs (M M' : mech) h r, agree_below M M' h -> agree_at M M' h ->
  capped_allows M e pairs d h r = capped_allows M' e pairs d h r.
Proof.
  intros pairs M M' h r H1 H2. unfold capped_allows, covers, each_live.
  induction pairs as [|[z z'] pairs IH]; [reflexivity|]. simpl.
  rewrite (agree_like M M' z), (agree_capped_budget z z' M M'), (agree_charge e z z' M M'), IH
    by assumption. reflexivity.
Qed.

Variables x x' : Db.
Definition refusing_capped (M : mech) : filter Req Out :=
  fun h r => if capped_allows M e [(x, x')] d h r then Continue else Refuse.

Theorem capped_causal : causal (fun M : mech => capped M e [(x, x')] d) /\ causal refusing_capped.
Proof.
  split; intros M M' h r H1 H2; unfold capped, gate, refusing_capped;
  rewrite (agree_capped_allows _ M M') by assumption; reflexivity.
Qed.

(* refusing instead of halting changes nothing about privacy *)
Theorem refusing_capped_private : forall menu M, 1 <= e -> 0 <= d ->
  private menu M (refusing_capped M) e d x x'.
Proof.
  intros menu M He Hd. assert (He0 : 0 <= e) by lra.
  set (U := fun h => like M x h * capped_budget M e x x' d h).
  apply (budget_sound (refusing_capped M) M e x x' d U); [assumption|].
  assert (Hpos : forall h, 0 <= U h)
    by (intros; apply Rmult_le_pos; [apply like_nonneg | apply capped_budget_nonneg; assumption]).
  split; [unfold U; simpl; lra|]. split; [auto|]. intros h r _ _.
  unfold toll, replies, refusing_capped. destruct (capped_allows M e [(x, x')] d h r) eqn:Hg.
  - simpl runs. simpl goes_on. cbv iota. rewrite sumf_map. unfold capped_allows in Hg.
    rewrite covers_spec in Hg. apply capped_step; [assumption | apply Hg; left; reflexivity].
  - simpl. unfold U. cbn [like chance capped_budget]. rewrite Rmult_1_r. lra.
Qed.
End CausalCapped.

(* ---------- budgets are never above headroom, and are handed on in full ---------- *)
Section Exact.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variables e d : R.
Variables x x' : Db.
Hypothesis He : 1 <= e.
Local Notation bud := (capped_budget M e x x' d).
Local Notation room := (headroom M e x x').

(* every round on the way that released something was within its budget *)
Fixpoint funded (h : hist Req Out) : Prop :=
  match h with
  | [] => True
  | (r, Some _) :: k => funded k /\ (0 < like M x k -> charge M e x x' k r <= bud k)
  | (_, None) :: k => funded k
  end.

Lemma room_silent : forall r k, room ((r, None) :: k) = room k.
Proof.
  intros. unfold headroom. rewrite excess_unreleased. cbn [like chance]. rewrite Rmult_1_r.
  reflexivity.
Qed.

Lemma room_nil : room [] = 1.
Proof.
  unfold headroom. cbn [like]. destruct (Rlt_dec 0 1); [|lra]. rewrite excess_nil by assumption.
  lra.
Qed.

Lemma bud_within_room : d <= 1 -> forall h, bud h <= room h.
Proof.
  intros Hd h. induction h as [|[r [y|]] h IH]; cbn [capped_budget].
  - rewrite room_nil. assumption.
  - apply Rmin_r.
  - rewrite room_silent. assumption.
Qed.

Lemma shared_exactly : d <= 1 -> forall h r, 0 < like M x h -> charge M e x x' h r <= bud h ->
  ucharge M e x x' h r + sumf (outs h r) (fun y => like M x ((r, Some y) :: h) *
    bud ((r, Some y) :: h))
  = like M x h * bud h.
Proof.
  intros Hd h r Hl Hc. assert (He0 : 0 <= e) by lra.
  set (left := bud h - charge M e x x' h r).
  rewrite (sumf_ext _ _ _ (fun y => like M x h * (pr M x h r y *
    Rmin (level M e x x' h r left) (room ((r, Some y) :: h)))))
    by (intros; cbn [like chance capped_budget]; fold left; ring).
  rewrite sumf_scal, <- (charge_spec M e x x' h r He0), <- Rmult_plus_distr_l. f_equal.
  destruct (level_spec M e x x' h r left) as (_ & H1 & H2).
  pose proof (poured_all M e x x' h r He0 Hl) as Hall. pose proof (bud_within_room Hd h).
  assert (E : poured (outs h r) (pr M x h r) (fun y => room ((r, Some y) :: h))
    (level M e x x' h r left) = left).
  { match type of Hall with ?p = _ => destruct (Rlt_le_dec left p) as [C|C] end.
    - apply H2; [unfold left; lra | exact C].
    - rewrite (H1 C), Hall. rewrite Hall in C. unfold left in *. lra. }
  unfold poured in E. rewrite E. unfold left. lra.
Qed.

(* with delta >= 1 every budget covers all headroom *)
Lemma rich : 1 <= d -> forall h, funded h -> 0 < like M x h -> room h <= bud h.
Proof.
  intros Hd h. assert (He0 : 0 <= e) by lra. induction h as [|[r [y|]] h IH]; intros Hf Hl.
  - rewrite room_nil. assumption.
  - destruct Hf as [Hf _]. pose proof (like_parent M x h r _ Hl) as Hl'. specialize (IH Hf Hl').
    cbn [capped_budget]. rewrite level_full; [lra | assumption |].
    rewrite poured_all by assumption. lra.
  - cbn [capped_budget]. rewrite room_silent. apply IH; [exact Hf|].
    cbn [like chance] in Hl. lra.
Qed.
End Exact.

(* ---------- maximality ---------- *)
Section Maximal.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Hypothesis Db_eq : forall a b : Db, {a = b} + {a <> b}.
Hypothesis Req_eq : forall a b : Req, {a = b} + {a <> b}.
Hypothesis Out_eq : forall a b : Out, {a = b} + {a <> b}.
Hypothesis menu_nodup : forall h, NoDup (menu h).
Hypothesis outs_nodup : forall h r, NoDup (outs h r).
Variable some_request : hist Req Out -> Req.
Hypothesis some_request_in : forall h, In (some_request h) (menu h).
Variables shown blank : Out.
Hypothesis shown_blank : shown <> blank.
Hypothesis shown_in : forall h r, In shown (outs h r).
Hypothesis blank_in : forall h r, In blank (outs h r).
Variables e d : R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.
Variables x x' : Db.
Hypothesis Hxx : x <> x'.
Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).
Local Notation allows M := (capped_allows M e [(x, x')] d).
Local Notation bud M := (capped_budget M e x x' d).
Local Notation path := (on_path Req_eq Out_eq).

Lemma allows_spec : forall (M : mech) h r,
  allows M h r = true <-> (0 < like M x h -> charge M e x x' h r <= bud M h).
Proof.
  intros M h r. unfold capped_allows. rewrite covers_spec. split.
  - intros H Hl. apply H; [left; reflexivity | assumption].
  - intros H z z' [E|[]] Hl. inversion E; subst z z'. auto.
Qed.

Variable F : mech -> filter Req Out.
Hypothesis F_causal : causal F.
Hypothesis F_private : forall M, private menu M (F M) e d x x'.

(* where the filter keeps up with the test: transcripts closed under the rounds it allows *)
Section Zone.
Variable zone : mech -> Hist -> Prop.
Hypothesis zone_goes_on : forall M h r, zone M h -> In r (menu h) -> allows M h r = true ->
  F M h r = Continue.
Hypothesis zone_next : forall M h r y, zone M h -> In r (menu h) -> allows M h r = true ->
  In y (outs h r) -> zone M ((r, Some y) :: h).
Hypothesis zone_causal : forall M M' h, agree_below M M' h -> zone M h -> zone M' h.
Hypothesis zone_tail : forall M a h, zone M (a :: h) -> zone M h.

Lemma zone_maximal : forall M h0 r0, reached menu outs (F M) h0 -> zone M h0 ->
  funded M e d x x' h0 ->
  In r0 (menu h0) -> runs (F M h0 r0) = true -> allows M h0 r0 = true.
Proof.
  intros M h0 r0 Hreach Hzone Hfund Hin Hrun. apply allows_spec. intros Hlive.
  assert (He0 : 0 <= e) by lra.
  destruct (Rle_lt_dec (charge M e x x' h0 r0) (bud M h0)) as [C|C]; [exact C|]. exfalso.
  destruct (Rle_lt_dec 1 d) as [D|D].
  { pose proof (rich M e d x x' He D h0 Hfund Hlive).
    pose proof (charge_le_headroom M e x x' h0 r0 He0 Hlive). lra. }
  set (game := topped outs Db_eq Req_eq Out_eq outs_nodup shown blank shown_in blank_in e x x' M
    (bud M) h0).
  assert (At : forall k, path k h0 = true -> agree_below M game k /\ agree_at M game k)
    by (intros k Hk; split; [apply topped_below | apply topped_at]; assumption).
  (* a round on the path: it runs under F, and was funded *)
  assert (Onpath : forall r o k, path ((r, o) :: k) h0 = true ->
    reached menu outs (F M) ((r, o) :: k) /\
    zone M k /\ funded M e d x x' ((r, o) :: k)).
  { intros r o k. assert (G : forall l, path ((r, o) :: k) l = true -> reached menu outs (F M) l ->
      zone M l -> funded M e d x x' l ->
      reached menu outs (F M) ((r, o) :: k) /\ zone M k /\ funded M e d x x' ((r, o) :: k)).
    { induction l as [|[r1 o1] l IH]; cbn [on_path];
      destruct (hist_eq _ _ _ _) as [E|_]; intros Hp H1 H2 H3.
      1,2: discriminate.
      - rewrite <- E in *. eauto.
      - apply IH; [assumption | apply H1 | eapply zone_tail; eassumption |].
        destruct o1; [apply H3 | exact H3]. }
    intros Hp. apply (G h0); assumption. }
  assert (Reach : forall k, path k h0 = true -> reached menu outs (F game) k).
  { induction k as [|[r o] k IH]; intros Hp; [exact I|]. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
    destruct (Onpath r o k Hp) as [(_ & H2 & H3 & H4) _]. destruct (At k Hk) as [A1 A2].
    cbn [reached]. unfold replies in *. rewrite <- (F_causal M game) by assumption. auto. }
  refine (spoiled_not_private menu outs Db_eq Req_eq Out_eq menu_nodup outs_nodup some_request
    some_request_in shown blank shown_blank shown_in blank_in e He x x' Hxx M (bud M) h0 (F game) r0
    _ Hin _ _ _ _ _ _ _).
  - apply Reach, on_path_refl.
  - destruct (At h0 (on_path_refl _ _ h0)). rewrite <- (F_causal M game) by assumption. exact Hrun.
  - rewrite <- (charge_spec M e x x' h0 r0 He0). apply Rmult_lt_compat_l; assumption.
  - intros r k _. cbn [capped_budget]. lra.
  - intros r y k Hp. destruct (Onpath r _ k Hp) as (_ & _ & _ & Hc).
    destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x k)) as [Hlt|Heq].
    + right. symmetry. apply shared_exactly; auto; lra.
    + rewrite <- Heq, Rmult_0_l.
      pose proof (ucharge_nonneg M e x x' k r).
      assert (0 <= sumf (outs k r) (fun c => like M x ((r, Some c) :: k) *
        bud M ((r, Some c) :: k)));
        [|lra].
      apply sumf_nonneg. intros c _. apply Rmult_le_pos; [apply like_nonneg|].
      apply capped_budget_nonneg; assumption.
  - intros r y c k _ _ _ Hl. split; [apply capped_budget_nonneg; assumption|].
    rewrite <- headroom_mass by assumption. apply Rmult_le_compat_l; [lra|].
    apply bud_within_room; auto; lra.
  - intros r y c k r' Hp Hc Hne Hl Hin' E. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
    destruct (Onpath r _ k Hp) as ((_ & H2 & H3 & H4) & Hz & _ & Hf). destruct (At k Hk) as [A1 A2].
    assert (Hb : agree_below M game ((r, Some c) :: k)) by (simpl; auto).
    assert (Hnext : zone M ((r, Some c) :: k))
      by (apply zone_next; auto; apply allows_spec; exact Hf).
    rewrite (zone_goes_on game); [reflexivity | eapply zone_causal; eassumption | assumption |].
    apply allows_spec. intros _. rewrite <- (agree_capped_budget e d x x' M game) by assumption.
    fold game in E. set (q := (r, Some c) :: k) in *. unfold charge.
    rewrite <- (agree_like M game) by assumption. destruct (Rlt_dec 0 (like M x q)); [|lra].
    rewrite E. right. field. lra.
  - apply F_private.
Qed.
End Zone.

(* at its own transcripts, refusals included *)
Theorem capped_maximal :
  (forall M h r, reached menu outs (F M) h -> In r (menu h) -> allows M h r = true ->
     F M h r = Continue) ->
  forall M h r, reached menu outs (F M) h -> In r (menu h) -> runs (F M h r) = true ->
  allows M h r = true.
Proof.
  intros Hdom M.
  assert (Main : forall h, reached menu outs (F M) h -> funded M e d x x' h ->
    forall r, In r (menu h) ->
    runs (F M h r) = true -> allows M h r = true).
  { intros h Hr Hf r Hin Hrun. apply (zone_maximal (fun M h => reached menu outs (F M) h));
      try assumption.
    - intros N k r' y Hz Hi Ha Hy. cbn [reached]. unfold replies. rewrite (Hdom N k r' Hz Hi Ha).
      simpl.
      auto 8 using in_map.
    - intros N N' k. induction k as [|[r' o] k IH]; intros Hag Hz; [exact I|].
      destruct Hag as [A1 A2]. destruct Hz as (Z1 & Z2 & Z3 & Z4). cbn [reached].
      unfold replies in *.
      rewrite <- (F_causal N N') by assumption. auto.
    - intros N [r' o] k Hz. apply Hz. }
  intros h r Hr Hin Hrun. apply Main; try assumption. clear r Hin Hrun.
  induction h as [|[r [y|]] h IH]; [exact I | |].
  - destruct Hr as (Hr & Hin & Ho & _). specialize (IH Hr). split; [exact IH|].
    apply allows_spec. apply Main; try assumption.
    unfold replies in Ho. destruct (runs (F M h r)); [reflexivity|]. destruct Ho as [Ho|[]].
    discriminate.
  - destruct Hr as (Hr & _). exact (IH Hr).
Qed.

(* at the transcripts that the halting filter reaches *)
Theorem capped_halting_maximal :
  (forall M h r, reached menu outs (capped M e [(x, x')] d) h -> In r (menu h) ->
     capped M e [(x, x')] d h r = Continue -> F M h r = Continue) ->
  forall M h r, reached menu outs (capped M e [(x, x')] d) h -> In r (menu h) ->
  runs (F M h r) = true -> capped M e [(x, x')] d h r = Continue.
Proof.
  intros Hdom M h r Hr Hin Hrun.
  assert (Go : forall (N : mech) k r', allows N k r' = true ->
    capped N e [(x, x')] d k r' = Continue)
    by (intros N k r' E; unfold capped, gate; rewrite E; reflexivity).
  assert (Ans : forall (N : mech) k r', goes_on (capped N e [(x, x')] d k r') = allows N k r' /\
    runs (capped N e [(x, x')] d k r') = allows N k r') by (intros; apply gate_answer).
  apply Go. apply (zone_maximal (fun (M : mech) h => reached menu outs (capped M e [(x, x')] d) h));
    try assumption.
  - intros N k r' Hz Hi Ha. apply Hdom; auto.
  - intros N k r' y Hz Hi Ha Hy. cbn [reached]. unfold replies. rewrite (Go N k r' Ha). simpl.
    auto 8 using in_map.
  - intros N N' k. induction k as [|[r' o] k IH]; intros Hag Hz; [exact I|].
    destruct Hag as [A1 A2]. destruct Hz as (Z1 & Z2 & Z3 & Z4). cbn [reached]. unfold replies in *.
    destruct (Ans N k r') as [E1 E2]. rewrite E1 in Z4. rewrite E2 in Z3.
    destruct (Ans N' k r') as [-> ->]. rewrite <- (agree_capped_allows e d _ N N') by assumption.
    auto.
  - intros N [r' o] k Hz. apply Hz.
  - clear r Hin Hrun. induction h as [|[r o] h IH]; [exact I|].
    destruct (gate_reached menu outs (allows M) h r o Hr) as (Hr' & Hin & Hg & y & -> & Hy).
    cbn [reached]. unfold replies. rewrite (Hdom M h r Hr' Hin (Go M h r Hg)). simpl.
    auto 8 using in_map.
  - clear r Hin Hrun. induction h as [|[r o] h IH]; [exact I|].
    destruct (gate_reached menu outs (allows M) h r o Hr) as (Hr' & Hin & Hg & y & -> & Hy).
    split; [auto|]. apply allows_spec. exact Hg.
Qed.
End Maximal.

(* ---------- "at the transcripts which that one reaches" is needed ---------- *)
Definition two_menu (_ : hist bool bool) : list bool := [true; false].
Definition two_outs (_ : hist bool bool) (_ : bool) : list bool := [true; false].
(* request true reveals the database, request false says nothing *)
Definition offer_pr (x : bool) (_ : hist bool bool) (r y : bool) : R :=
  if r then (if Bool.eqb x y then 1 else 0) else (if y then 1 else 0).
Lemma offer_nonneg : forall x h r y, 0 <= offer_pr x h r y.
Proof. intros [|] h [|] [|]; simpl; lra. Qed.
Lemma offer_sum : forall x h r, sumf (two_outs h r) (offer_pr x h r) = 1.
Proof. intros [|] h [|]; unfold two_outs; simpl; lra. Qed.
Definition offering : mechanism bool two_outs :=
  Build_mechanism _ _ bool two_outs offer_pr offer_nonneg offer_sum.

Theorem refusing_outruns_halting : forall e d, 1 <= e -> 0 <= d < 1 ->
  capped offering e [(true, false)] d [] true = Halt /\
  ~ reached two_menu two_outs (capped offering e [(true, false)] d) [(true, None)] /\
  reached two_menu two_outs (refusing_capped e d true false offering) [(true, None)] /\
  refusing_capped e d true false offering [(true, None)] false = Continue.
Proof.
  intros e d He Hd. assert (E : charge offering e true false [] true = 1 /\
    charge offering e true false [(true, None)] false = 0).
  { unfold charge, ucharge, excess, two_outs, pos, Rmax. simpl.
    repeat (destruct (Rlt_dec _ _)); repeat (destruct (Rle_dec _ _)); split; try lra;
      field_simplify; lra. }
  destruct E as [E1 E2].
  assert (N : capped_allows offering e [(true, false)] d [] true = false).
  { apply not_true_iff_false. intros E. unfold capped_allows in E. rewrite covers_spec in E.
    specialize (E true false (or_introl eq_refl)). rewrite E1 in E. simpl in E.
    specialize (E ltac:(lra)). lra. }
  assert (Y : capped_allows offering e [(true, false)] d [(true, None)] false = true).
  { apply covers_spec. intros z z' [E|[]] _. inversion E; subst. rewrite E2. simpl. lra. }
  assert (H : capped offering e [(true, false)] d [] true = Halt)
    by (unfold capped, gate; rewrite N; reflexivity).
  split; [exact H|]. split; [|split].
  - intros (_ & _ & _ & G). rewrite H in G. discriminate.
  - cbn [reached]. unfold replies, refusing_capped. rewrite N. simpl. auto 8.
  - unfold refusing_capped. rewrite Y. reflexivity.
Qed.
