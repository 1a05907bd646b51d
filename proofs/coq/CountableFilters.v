(* The compensators on laws with countably many outputs.

   In words: the rules of Compensator.v, Recycling.v and Capped.v, with series in place of sums.  Each
   is (eps, delta)-DP for every adversary and horizon and for any list of ordered pairs, whether it
   halts (`ccompensator_private`, `crecycling_private`, `ccapped_private`) or refuses
   (`crefusing_compensator_private`). *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model Compensator Capped CountableSums Countable.
Import ListNotations.
Open Scope R_scope.

(* ---------- the water level ---------- *)
Section Level.
Variables p cap : nat -> R.
Hypothesis p_nonneg : forall n, 0 <= p n.
Hypothesis p_sum : is_series p 1.
Hypothesis cap_range : forall n, 0 <= cap n <= 1.

(* what is handed out when every output gets t >= 0, but never more than its cap *)
Definition share (t : R) (n : nat) : R := Rmin (Rmax 0 t) (cap n).
Definition cpoured (t : R) : R := Series (fun n => p n * share t n).

Lemma share_range : forall t n, 0 <= share t n <= 1.
Proof.
  intros t n. unfold share. pose proof (cap_range n). pose proof (Rmin_r (Rmax 0 t) (cap n)).
  split; [apply Rmin_glb; [apply Rmax_l | lra] | lra].
Qed.

Lemma cpoured_ex : forall t, ex_series (fun n => p n * share t n).
Proof.
  intros t. apply (ex_series_avg p (share t) 1);
    [assumption | eexists; exact p_sum | apply share_range].
Qed.

Lemma cpoured_near : forall a b, cpoured a <= cpoured b + Rabs (a - b).
Proof.
  intros a b. unfold cpoured.
  replace (Rabs (a - b)) with (Series (fun n => Rabs (a - b) * p n))
    by (rewrite Series_scal_l, (is_series_unique p 1 p_sum); ring).
  assert (Hp : ex_series (fun n => Rabs (a - b) * p n)) by
    (apply ex_series_scaled; eexists; exact p_sum).
  rewrite <- Series_plus by (auto using cpoured_ex).
  apply series_le; [apply cpoured_ex | apply ex_series_sum; auto using cpoured_ex |].
  intros n. rewrite (Rmult_comm (Rabs _)), <- Rmult_plus_distr_l. apply Rmult_le_compat_l;
    [apply p_nonneg|].
  unfold share, Rmin, Rmax. repeat destruct (Rle_dec _ _); unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Lemma cpoured_continuous : continuity cpoured.
Proof.
  apply (lipschitz_continuous _ 1); [lra|]. intros a b. rewrite Rmult_1_l.
  pose proof (cpoured_near a b). pose proof (cpoured_near b a) as H'.
  rewrite (Rabs_minus_sym b a) in H'. apply Rabs_le. lra.
Qed.

Lemma clevel_exists : forall left, {t : R | 0 <= t <= 1 /\ (cpoured 1 <= left -> t = 1) /\
  (0 <= left -> left < cpoured 1 -> cpoured t = left)}.
Proof.
  intros left. destruct (Rle_dec (cpoured 1) left) as [Hall|Hsome].
  { exists 1. repeat split; intros; lra. }
  destruct (Rle_dec 0 left) as [H0|H0].
  2:{ exists 0. repeat split; intros; lra. }
  destruct (IVT_cor (fun t => cpoured t - left) 0 1) as [t [Ht Hz]].
  - apply (continuity_minus cpoured (fun _ => left)); [apply cpoured_continuous|].
    apply continuity_const. intros a b. reflexivity.
  - lra.
  - assert (E : cpoured 0 = 0).
    { transitivity (Series (fun _ => 0)); [|apply series_zero]. apply Series_ext. intros n.
      unfold share.
      destruct (cap_range n) as [C _]. rewrite Rmax_left by lra. rewrite Rmin_left by exact C.
      ring. }
    nra.
  - exists t. repeat split; intros; lra.
Qed.
End Level.

(* ---------- the filters ---------- *)
Section Filters.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
        {out : hist Req Out -> Req -> nat -> Out}.
Variable M : cmechanism Db out.
Variable e : R.
Variable pairs : list (Db * Db).

(* a test of every pair that is still possible *)
Definition ceach_live (test : Db -> Db -> bool) (h : hist Req Out) : bool :=
  forallb (fun p => negb (Rltb 0 (clike M (fst p) h)) || test (fst p) (snd p)) pairs.

Lemma ceach_live_holds : forall test h x x', ceach_live test h = true -> In (x, x') pairs ->
  0 < clike M x h -> test x x' = true.
Proof.
  intros test h x x' H Hp Hl. unfold ceach_live in H. rewrite forallb_forall in H.
  specialize (H (x, x') Hp). simpl in H. apply Rltb_true in Hl. rewrite Hl in H. exact H.
Qed.

(* ---------- the compensator, halting or refusing ---------- *)
Definition caffordable (d : R) (h : hist Req Out) (r : Req) : bool :=
  ceach_live (fun x x' => Rleb (cspent M e x x' h + ccharge M e x x' h r) d) h.
Definition ccompensator (d : R) : filter Req Out := gate (caffordable d).
Definition crefusing_compensator (d : R) : filter Req Out :=
  fun h r => if caffordable d h r then Continue else Refuse.

Lemma caffordable_holds : forall d h r x x', caffordable d h r = true -> In (x, x') pairs ->
  0 < clike M x h -> cspent M e x x' h + ccharge M e x x' h r <= d.
Proof.
  intros d h r x x' H Hp Hl. apply Rleb_true.
  exact (ceach_live_holds (fun x x' => Rleb (cspent M e x x' h + ccharge M e x x' h r) d)
    h x x' H Hp Hl).
Qed.

Theorem ccompensator_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (ccompensator d) e d x x'.
Proof.
  intros d x x' He Hd Hp. apply cspending_private; auto. intros h r _ _ Hg Hl.
  unfold ccompensator in Hg. rewrite (proj2 (gate_answer (caffordable d) h r)) in Hg.
  apply caffordable_holds; assumption.
Qed.

Theorem crefusing_compensator_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (crefusing_compensator d) e d x x'.
Proof.
  intros d x x' He Hd Hp. apply cspending_private; auto. intros h r _ _ Hg Hl.
  unfold crefusing_compensator in Hg. destruct (caffordable d h r) eqn:E; [|discriminate].
  apply caffordable_holds; assumption.
Qed.

(* ---------- filters that keep a budget per pair ---------- *)
Section Kept.
Variable left : Db -> Db -> hist Req Out -> R.
Definition ccovers (h : hist Req Out) (r : Req) : bool :=
  ceach_live (fun x x' => Rleb (ccharge M e x x' h r) (left x x' h)) h.

(* one round: the budgets after it have a sum, and pay for it *)
Definition keeps (x x' : Db) (h : hist Req Out) (r : Req) : Prop :=
  let next := fun n => clike M x ((r, Some (out h r n)) :: h) *
    left x x' ((r, Some (out h r n)) :: h) in
  ex_series next /\ (0 < clike M x h -> ccharge M e x x' h r <= left x x' h ->
    cucharge M e x x' h r + Series next <= clike M x h * left x x' h).

Theorem kept_private : forall d x x', 1 <= e -> In (x, x') pairs -> left x x' [] <= d ->
  (forall h, creached menu out (gate ccovers) h -> 0 < clike M x h -> 0 <= left x x' h) ->
  (forall h r, keeps x x' h r) -> cprivate menu M (gate ccovers) e d x x'.
Proof.
  intros d x x' He Hp H0 Hpos Hkeep. assert (He0 : 0 <= e) by lra.
  assert (Hpos' : forall h, creached menu out (gate ccovers) h -> 0 <= clike M x h * left x x' h).
  { intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (clike_nonneg M x h)) as [Hlt|Heq].
    - apply Rmult_le_pos; [lra | auto].
    - rewrite <- Heq; lra. }
  apply (cbudget_sound menu M (gate ccovers) e d x x' He (fun h => clike M x h * left x x' h)).
  split; [simpl; lra|]. split; [exact Hpos'|]. intros h r Hr _. destruct (Hkeep h r) as [Hx Hk].
  split; [exact Hx|]. unfold ctoll, creplies. destruct (gate_answer ccovers h r) as [-> ->].
  specialize (Hpos' h Hr). destruct (ccovers h r) eqn:Ec; [|lra].
  destruct (Rle_lt_or_eq_dec _ _ (clike_nonneg M x h)) as [Hlt|Heq].
  - apply Hk; [assumption|]. apply Rleb_true.
    exact (ceach_live_holds (fun x x' => Rleb (ccharge M e x x' h r) (left x x' h))
      h x x' Ec Hp Hlt).
  - rewrite <- (ccharge_spec M e x x' h r He0), <- Heq.
    rewrite (Series_ext _ (fun _ => 0)) by (intros; cbn [clike]; rewrite <- Heq; ring).
    rewrite series_zero. lra.
Qed.
End Kept.

(* ---------- recycling what is stranded at infinite loss ---------- *)
Definition calive (x' : Db) (h : hist Req Out) : bool := Rltb 0 (clike M x' h).
Definition cpalive (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  Series (fun n => cpr M x h r (out h r n) * ind (calive x' ((r, Some (out h r n)) :: h))).
Fixpoint crecycled (d : R) (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => d
  | (r, Some _) :: k =>
      if calive x' h then (crecycled d x x' k - ccharge M e x x' k r) / cpalive x x' k r else 0
  | (_, None) :: k => crecycled d x x' k
  end.
Definition crecycling (d : R) : filter Req Out := gate (ccovers (crecycled d)).

Lemma calive_ex : forall x x' h r,
  ex_series (fun n => cpr M x h r (out h r n) * ind (calive x' ((r, Some (out h r n)) :: h))).
Proof.
  intros. apply (ex_series_avg _ _ 1); [intros; apply cpr_nonneg | apply cpr_ex | intros;
    apply ind_range].
Qed.

Lemma cpalive_nonneg : forall x x' h r, 0 <= cpalive x x' h r.
Proof.
  intros. apply series_nonneg; [apply calive_ex|]. intros n.
  apply Rmult_le_pos; [apply cpr_nonneg | apply ind_range].
Qed.

Lemma crecycled_keeps : forall d x x' h r, 0 <= e -> keeps (crecycled d) x x' h r.
Proof.
  intros d x x' h r He. unfold keeps. set (q := cpalive x x' h r).
  set (k := (crecycled d x x' h - ccharge M e x x' h r) / q).
  set (a := fun n => cpr M x h r (out h r n) * ind (calive x' ((r, Some (out h r n)) :: h))).
  assert (Hs : is_series (fun n => clike M x ((r, Some (out h r n)) :: h) *
      crecycled d x x' ((r, Some (out h r n)) :: h)) (clike M x h * k * q)).
  { apply (is_series_same (fun n => clike M x h * k * a n)).
    - intros n. unfold a. cbn [crecycled]. fold q. fold k. cbn [clike cchance].
      destruct (calive x' ((r, Some (out h r n)) :: h)); simpl ind; ring.
    - apply is_series_scaled. apply Series_correct. apply calive_ex. }
  split; [eexists; exact Hs|]. intros Hl Hc. rewrite (is_series_unique _ _ Hs).
  rewrite <- (ccharge_spec M e x x' h r He).
  destruct (cpalive_nonneg x x' h r) as [Hq|Hq]; fold q in Hq.
  - right. unfold k. field. lra.
  - rewrite <- Hq. nra.
Qed.

Theorem crecycling_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (crecycling d) e d x x'.
Proof.
  intros d x x' He Hd Hp. assert (He0 : 0 <= e) by lra.
  apply kept_private; try assumption; [simpl; lra | | intros; apply crecycled_keeps; assumption].
  intros [|[r o] h] Hr Hl; [simpl; lra|].
  destruct Hr as (Hr & _ & Ho & Hg). unfold creply in Ho.
  rewrite (proj1 (gate_answer _ h r)) in Hg. rewrite (proj2 (gate_answer _ h r)), Hg in Ho.
  destruct Ho as [n ->]. pose proof (clike_parent M x h r _ Hl) as Hl'.
  pose proof (ceach_live_holds _ h x x' Hg Hp Hl') as Hc. apply Rleb_true in Hc.
  cbn [crecycled]. destruct (calive _ _); [|lra].
  destruct (cpalive_nonneg x x' h r) as [Hq|Hq].
  - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; assumption].
  - rewrite <- Hq. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

(* ---------- no branch keeps more than it can still lose ---------- *)
Definition cheadroom (x x' : Db) (h : hist Req Out) : R :=
  if Rlt_dec 0 (clike M x h) then Rmax 0 (1 - cexcess M e x x' h / clike M x h) else 0.

Lemma cheadroom_range : forall x x' h, 0 <= cheadroom x x' h <= 1.
Proof.
  intros x x' h. unfold cheadroom. destruct (Rlt_dec 0 (clike M x h)) as [H|H]; [|lra].
  split; [apply Rmax_l|]. apply Rmax_lub; [lra|].
  assert (0 <= cexcess M e x x' h / clike M x h); [|lra].
  apply Rmult_le_pos; [apply pos_ge | left; apply Rinv_0_lt_compat; assumption].
Qed.

Definition clevel (x x' : Db) (h : hist Req Out) (r : Req) (left : R) : R :=
  proj1_sig (clevel_exists (fun n => cpr M x h r (out h r n))
    (fun n => cheadroom x x' ((r, Some (out h r n)) :: h)) (fun n => cpr_nonneg M x h r _)
    (cpr_sum M x h r) (fun n => cheadroom_range x x' _) left).
Fixpoint ccapped_budget (d : R) (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => d
  | (r, Some y) :: k =>
      Rmin (clevel x x' k r (ccapped_budget d x x' k - ccharge M e x x' k r)) (cheadroom x x' h)
  | (_, None) :: k => ccapped_budget d x x' k
  end.
Definition ccapped (d : R) : filter Req Out := gate (ccovers (ccapped_budget d)).

Lemma clevel_affordable : forall x x' h r left, 0 <= left -> let t := clevel x x' h r left in
  0 <= t <= 1 /\ Series (fun n => cpr M x h r (out h r n) *
    Rmin t (cheadroom x x' ((r, Some (out h r n)) :: h))) <= left.
Proof.
  intros x x' h r left H0. unfold clevel.
  destruct (clevel_exists _ _ _ _ _ left) as [t (Ht & H1 & H2)].
  cbn [proj1_sig]. split; [exact Ht|].
  match type of H2 with _ -> _ -> ?pour _ = _ => assert (Hle : pour t <= left) end.
  { destruct (Rle_lt_dec (cpoured (fun n => cpr M x h r (out h r n))
      (fun n => cheadroom x x' ((r, Some (out h r n)) :: h)) 1) left) as [C|C].
    - rewrite (H1 C). exact C.
    - rewrite (H2 H0 C). lra. }
  unfold cpoured, share in Hle. rewrite (Rmax_right 0 t) in Hle by lra. exact Hle.
Qed.

Lemma ccapped_budget_nonneg : forall d x x' h, 0 <= d -> 0 <= ccapped_budget d x x' h.
Proof.
  intros d x x' h Hd. induction h as [|[r [y|]] h IH]; simpl; auto.
  apply Rmin_glb; [|apply cheadroom_range].
  unfold clevel. destruct (clevel_exists _ _ _ _ _ _) as [t (Ht & H1)]. apply Ht.
Qed.

Lemma ccapped_keeps : forall d x x' h r, 0 <= e -> 0 <= d -> keeps (ccapped_budget d) x x' h r.
Proof.
  intros d x x' h r He Hd. unfold keeps.
  set (left := ccapped_budget d x x' h - ccharge M e x x' h r).
  set (v := fun n => Rmin (clevel x x' h r left) (cheadroom x x' ((r, Some (out h r n)) :: h))).
  assert (Hv : forall n, 0 <= v n <= 1).
  { intros n. pose proof (cheadroom_range x x' ((r, Some (out h r n)) :: h)) as R1.
    pose proof (Rmin_r (clevel x x' h r left) (cheadroom x x' ((r, Some (out h r n)) :: h))) as R2.
    pose proof (ccapped_budget_nonneg d x x' ((r, Some (out h r n)) :: h) Hd) as R3.
    cbn [ccapped_budget] in R3. fold left in R3. fold (v n) in R2, R3. lra. }
  assert (Hs : is_series (fun n => clike M x ((r, Some (out h r n)) :: h) *
      ccapped_budget d x x' ((r, Some (out h r n)) :: h))
      (clike M x h * Series (fun n => cpr M x h r (out h r n) * v n))).
  { apply (is_series_same (fun n => clike M x h * (cpr M x h r (out h r n) * v n))).
    - intros n. cbn [clike cchance ccapped_budget]. fold left. fold (v n). ring.
    - apply is_series_scaled. apply Series_correct.
      apply (ex_series_avg _ _ 1); [intros; apply cpr_nonneg | apply cpr_ex | exact Hv]. }
  split; [eexists; exact Hs|]. intros Hl Hc. rewrite (is_series_unique _ _ Hs).
  rewrite <- (ccharge_spec M e x x' h r He), <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [lra|].
  assert (Hleft : 0 <= left) by (unfold left; lra).
  pose proof (proj2 (clevel_affordable x x' h r left Hleft)) as H.
  change (Series (fun n => cpr M x h r (out h r n) * v n) <= left) in H. unfold left in H. lra.
Qed.

Theorem ccapped_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (ccapped d) e d x x'.
Proof.
  intros d x x' He Hd Hp. apply kept_private; try assumption; [simpl; lra | |].
  - intros h _ _. apply ccapped_budget_nonneg; assumption.
  - intros h r. apply ccapped_keeps; lra.
Qed.
End Filters.
