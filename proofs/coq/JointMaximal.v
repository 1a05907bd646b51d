(* Both directions of a pair: budgets that are shared out exactly and consistently cannot be improved.

   In words: keep a budget per direction of one pair, in masses.  Say that they are shared out well if, at
   transcripts whose rounds all fitted, what a round leaves is handed on in full (exact), and neither
   direction holds more than the other leaves it to lose (consistent: U_1 <= P_x - h_1 - (P_x' - h_2 -
   U_2) e^-eps, and the other way round).  Then a causal filter that is private for both directions on
   every family, and goes on wherever both charges fit, runs no other round (`joint_maximal`): off the
   path a round with three outputs, a leak of x, a leak of x' and a blank, spends what both directions
   have left, exactly and at once. *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Audit Compensator Causal Spoiler JointCaps.
Import ListNotations.
Open Scope R_scope.

Section JointMaximal.
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
(* three distinct outputs are always available *)
Variables shown other blank : Out.
Hypothesis distinct : shown <> other /\ shown <> blank /\ other <> blank.
Hypothesis available : forall h r, In shown (outs h r) /\ In other (outs h r) /\ In blank (outs h r).
Variables e d : R.
Hypothesis He : 1 <= e.
Variables x x' : Db.
Hypothesis Hxx : x <> x'.
Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).
Local Notation path := (on_path Req_eq Out_eq).

Variables U1 U2 : mech -> Hist -> R.
Definition both_fit (M : mech) (h : Hist) (r : Req) : Prop :=
  ucharge M e x x' h r <= U1 M h /\ ucharge M e x' x h r <= U2 M h.
Fixpoint both_funded (M : mech) (h : Hist) : Prop :=
  match h with
  | [] => True
  | (r, Some y) :: k => both_funded M k /\ both_fit M k r /\ In y (outs k r)
  | (_, None) :: k => both_funded M k
  end.

Definition exact_shares : Prop := forall M h r, both_funded M h -> both_fit M h r ->
  ucharge M e x x' h r + sumf (outs h r) (fun y => U1 M ((r, Some y) :: h)) = U1 M h /\
  ucharge M e x' x h r + sumf (outs h r) (fun y => U2 M ((r, Some y) :: h)) = U2 M h.
Definition consistent_shares : Prop := forall M h, both_funded M h ->
  0 <= U1 M h <= like M x h - excess M e x x' h /\ 0 <= U2 M h <= like M x' h - excess M e x' x h /\
  U1 M h <= room M e x x' (U2 M) h /\ U2 M h <= room M e x' x (U1 M) h.
Definition good_shares : Prop :=
  (forall M, U1 M [] = d /\ U2 M [] = d) /\
  (forall M r k, U1 M ((r, None) :: k) = U1 M k /\ U2 M ((r, None) :: k) = U2 M k) /\
  (forall M M' k, agree_below M M' k -> U1 M k = U1 M' k /\ U2 M k = U2 M' k) /\
  exact_shares /\ consistent_shares.

(* ---------- M along the path; off it a round that spends both budgets ---------- *)
Section Game.
Variable M : mech.
Variable h0 : Hist.

Definition leak_of (z : Db) (k : Hist) : R :=
  if Db_eq z x then clamp ((U1 M k + excess M e x x' k) / like M x k)
  else if Db_eq z x' then clamp ((U2 M k + excess M e x' x k) / like M x' k) else 0.
Definition spend (z : Db) (k : Hist) (y : Out) : R :=
  point Out_eq (if Db_eq z x then shown else other) y * leak_of z k +
  point Out_eq blank y * (1 - leak_of z k).

Lemma leak_of_range : forall z k, 0 <= leak_of z k <= 1.
Proof.
  intros. unfold leak_of. destruct (Db_eq z x); [apply clamp_range|].
  destruct (Db_eq z x'); [apply clamp_range | lra].
Qed.

Definition spending : mech.
Proof.
  refine (Build_mechanism _ _ Db outs
    (fun z k r y => if path k h0 then pr M z k r y else spend z k y) _ _).
  - intros z k r y. destruct (path k h0); [apply pr_nonneg|]. unfold spend.
    pose proof (leak_of_range z k). set (s := if Db_eq z x then shown else other).
    pose proof (point_nonneg Out_eq s y). pose proof (point_nonneg Out_eq blank y). nra.
  - intros z k r. destruct (path k h0); [apply pr_sum|]. destruct (available k r) as (A1 & A2 & A3).
    unfold spend. rewrite sumf_plus, !sumf_scal_r.
    rewrite !(sumf_point1 Out_eq) by (auto; destruct (Db_eq z x); auto). ring.
Defined.

Lemma spending_at : forall k, path k h0 = true -> agree_at M spending k.
Proof. intros k H z r y. simpl. rewrite H. reflexivity. Qed.

Lemma leak_mass : forall w u v, 0 <= w -> 0 <= u -> 0 <= v -> u + v <= w -> w * clamp ((u + v) / w) = u + v.
Proof.
  intros w u v [Hw| <-] Hu Hv H; [|lra].
  rewrite clamp_id; [field; lra|]. assert (0 < / w) by (apply Rinv_0_lt_compat; assumption).
  assert (w * / w = 1) by (apply Rinv_r; lra). unfold Rdiv. split; [apply Rmult_le_pos; lra|]. nra.
Qed.

(* the three outputs charge exactly what both directions have left *)
Lemma spending_charge : forall q r, path q h0 = false -> agree_below M spending q ->
  both_funded M q -> consistent_shares ->
  ucharge spending e x x' q r = U1 M q /\ ucharge spending e x' x q r = U2 M q.
Proof.
  intros q r Hoff Hb Hf Hcons. destruct (Hcons M q Hf) as ((A1 & A2) & (B1 & B2) & C1 & C2).
  set (w := like M x q) in *. set (v := like M x' q) in *.
  set (g1 := excess M e x x' q) in *. set (g2 := excess M e x' x q) in *.
  assert (G1 : 0 <= g1) by apply excess_nonneg. assert (G2 : 0 <= g2) by apply excess_nonneg.
  assert (W : 0 <= w) by apply like_nonneg. assert (V : 0 <= v) by apply like_nonneg.
  pose proof (leak_mass w (U1 M q) g1 W A1 G1 ltac:(lra)) as Ea.
  pose proof (leak_mass v (U2 M q) g2 V B1 G2 ltac:(lra)) as Eb.
  assert (Lx : leak_of x q = clamp ((U1 M q + g1) / w))
    by (unfold leak_of; destruct (Db_eq x x); [reflexivity | congruence]).
  assert (Lx' : leak_of x' q = clamp ((U2 M q + g2) / v))
    by (unfold leak_of; destruct (Db_eq x' x); [congruence|]; destruct (Db_eq x' x'); [reflexivity | congruence]).
  rewrite <- Lx in Ea. rewrite <- Lx' in Eb.
  destruct distinct as (D1 & D2 & D3). destruct (available q r) as (I1 & I2 & I3).
  assert (Pr : forall z y, like spending z ((r, Some y) :: q) = like M z q * spend z q y).
  { intros z y. cbn [like chance]. rewrite <- (agree_like M spending z q Hb).
    cbn [spending pr]. rewrite Hoff. reflexivity. }
  assert (Sx : forall y, spend x q y =
    point Out_eq shown y * leak_of x q + point Out_eq blank y * (1 - leak_of x q))
    by (intros; unfold spend; destruct (Db_eq x x); [reflexivity | congruence]).
  assert (Sx' : forall y, spend x' q y =
    point Out_eq other y * leak_of x' q + point Out_eq blank y * (1 - leak_of x' q))
    by (intros; unfold spend; destruct (Db_eq x' x); [congruence | reflexivity]).
  (* the blank keeps both directions within eps *)
  assert (K1 : w - (U1 M q + g1) <= e * (v - (U2 M q + g2))).
  { unfold room in C2. fold w v g1 g2 in C2.
    assert (e * ((w - g1 - U1 M q) / e) = w - g1 - U1 M q) by (field; lra). nra. }
  assert (K2 : v - (U2 M q + g2) <= e * (w - (U1 M q + g1))).
  { unfold room in C1. fold w v g1 g2 in C1.
    assert (e * ((v - g2 - U2 M q) / e) = v - g2 - U2 M q) by (field; lra). nra. }
  unfold ucharge. rewrite <- !(agree_excess e _ _ M spending q Hb). fold g1 g2. split.
  - rewrite (sumf_ext _ _ _ (fun y => point Out_eq shown y * (U1 M q + g1))).
    + rewrite (sumf_point Out_eq (outs q r) shown (fun _ => U1 M q + g1)) by auto. lra.
    + intros y _. unfold excess. rewrite !Pr, Sx, Sx'. fold w v. unfold point.
      destruct (Out_eq y shown) as [->|N1]; [|destruct (Out_eq y blank) as [->|N2]].
      * destruct (Out_eq shown blank); [contradiction|]. destruct (Out_eq shown other); [contradiction|].
        rewrite pos_of_nonneg; nra.
      * destruct (Out_eq blank other); [congruence|]. rewrite pos_of_nonpos; nra.
      * rewrite pos_of_nonpos; [ring|]. destruct (Out_eq y other); [|lra].
        pose proof (leak_of_range x' q). nra.
  - rewrite (sumf_ext _ _ _ (fun y => point Out_eq other y * (U2 M q + g2))).
    + rewrite (sumf_point Out_eq (outs q r) other (fun _ => U2 M q + g2)) by auto. lra.
    + intros y _. unfold excess. rewrite !Pr, Sx, Sx'. fold w v. unfold point.
      destruct (Out_eq y other) as [->|N1]; [|destruct (Out_eq y blank) as [->|N2]].
      * destruct (Out_eq other blank); [contradiction|]. destruct (Out_eq other shown); [congruence|].
        rewrite pos_of_nonneg; nra.
      * destruct (Out_eq blank shown); [congruence|]. rewrite pos_of_nonpos; nra.
      * rewrite pos_of_nonpos; [ring|]. destruct (Out_eq y shown); [|lra].
        pose proof (leak_of_range x q). nra.
Qed.
End Game.

(* ---------- maximality ---------- *)
Variable F : mech -> filter Req Out.
Hypothesis good : good_shares.
Hypothesis F_causal : causal F.
Hypothesis F_private : forall M, private menu M (F M) e d x x' /\ private menu M (F M) e d x' x.
Hypothesis F_goes_on : forall M h r, reached menu outs (F M) h -> In r (menu h) -> both_fit M h r ->
  F M h r = Continue.

Lemma funded_maximal : forall M h0 r0, reached menu outs (F M) h0 -> both_funded M h0 ->
  In r0 (menu h0) -> runs (F M h0 r0) = true -> both_fit M h0 r0.
Proof.
  intros M h0 r0 Hreach Hfund Hin Hrun. destruct good as (G0 & Gn & Gc & Gx & Gk).
  set (game := spending M h0).
  assert (At : forall k, path k h0 = true -> agree_at M game k) by (intros; apply spending_at; assumption).
  assert (Below : forall k, path k h0 = true -> agree_below M game k)
    by (induction k as [|a k IH]; simpl; [auto|]; intros H; apply on_path_tl in H; auto).
  assert (Onpath : forall k, path k h0 = true -> reached menu outs (F M) k /\ both_funded M k).
  { intros k. assert (G : forall l, path k l = true -> reached menu outs (F M) l -> both_funded M l ->
      reached menu outs (F M) k /\ both_funded M k).
    { induction l as [|[r1 o1] l IH]; cbn [on_path]; destruct (hist_eq _ _ _ _) as [E|_]; intros Hp H1 H2;
      try (rewrite E; auto; fail); [discriminate|].
      apply IH; [assumption | apply H1 |]. destruct o1; [apply H2 | exact H2]. }
    intros Hp. apply (G h0); assumption. }
  assert (Reach : forall k, path k h0 = true -> reached menu outs (F game) k).
  { induction k as [|[r o] k IH]; intros Hp; [exact I|]. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
    destruct (Onpath _ Hp) as [(_ & H2 & H3 & H4) _].
    cbn [reached]. unfold replies in *. rewrite <- (F_causal M game) by auto. auto. }
  assert (Run0 : runs (F game h0 r0) = true)
    by (pose proof (on_path_refl Req_eq Out_eq h0); rewrite <- (F_causal M game) by auto; exact Hrun).
  (* off the path both budgets are spent, and F runs that *)
  assert (Off : forall r y c k r', path ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
    In r' (menu ((r, Some c) :: k)) -> runs (F game ((r, Some c) :: k) r') = true /\
    ucharge game e x x' ((r, Some c) :: k) r' = U1 M ((r, Some c) :: k) /\
    ucharge game e x' x ((r, Some c) :: k) r' = U2 M ((r, Some c) :: k)).
  { intros r y c k r' Hp Hc Hne Hin'. pose proof (on_path_tl _ _ _ _ _ Hp) as Hk.
    set (q := (r, Some c) :: k).
    assert (Hout : path q h0 = false).
    { apply not_true_iff_false. intro E. apply Hne. pose proof (on_path_sibling _ _ _ _ _ _ E Hp). congruence. }
    assert (Hb : agree_below M game q) by (simpl; auto).
    destruct (Onpath _ Hp) as [(H1 & H2 & H3 & H4) (H5 & H6 & _)].
    assert (Hq : both_funded M q) by (split; [|split]; assumption).
    destruct (spending_charge M h0 q r' Hout Hb Hq Gk) as [E1 E2]. fold game in E1, E2.
    split; [|auto]. rewrite F_goes_on; [reflexivity | | assumption |].
    - pose proof (Reach _ Hk). unfold q. cbn [reached]. unfold replies in *.
      rewrite <- (F_causal M game) by auto. destruct (runs (F M k r));
      [|apply in_map_iff in H3 || (destruct H3 as [H3|[]]; discriminate)].
      repeat split; auto. apply in_map; assumption.
    - destruct (Gc M game q Hb) as [Q1 Q2]. unfold both_fit. rewrite E1, E2, <- Q1, <- Q2. lra. }
  assert (Step : forall r y k, path ((r, Some y) :: k) h0 = true -> both_funded M k /\ both_fit M k r)
    by (intros r y k Hp; destruct (Onpath _ Hp) as [_ (S1 & S2 & _)]; auto).
  split; apply Rnot_lt_le; intros C.
  - apply (climbed menu outs Req_eq Out_eq menu_nodup some_request some_request_in e He x x' M game h0 At
      (U1 M) (F game) r0); auto.
    + apply Reach, on_path_refl.
    + intros r k _. destruct (Gn M r k) as [-> _]. lra.
    + intros r y k Hp. destruct (Step r y k Hp) as [S1 S2]. right. symmetry. apply Gx; assumption.
    + intros r y c k r' Hp Hc Hne _ Hin'. destruct (Off r y c k r' Hp Hc Hne Hin') as (O1 & O2 & _).
      split; [assumption | right; symmetry; exact O2].
    + destruct (G0 M) as [-> _]. apply F_private.
  - apply (climbed menu outs Req_eq Out_eq menu_nodup some_request some_request_in e He x' x M game h0 At
      (U2 M) (F game) r0); auto.
    + apply Reach, on_path_refl.
    + intros r k _. destruct (Gn M r k) as [_ ->]. lra.
    + intros r y k Hp. destruct (Step r y k Hp) as [S1 S2]. right. symmetry. apply Gx; assumption.
    + intros r y c k r' Hp Hc Hne _ Hin'. destruct (Off r y c k r' Hp Hc Hne Hin') as (O1 & _ & O2).
      split; [assumption | right; symmetry; exact O2].
    + destruct (G0 M) as [_ ->]. apply F_private.
Qed.

Theorem joint_maximal : forall M h r, reached menu outs (F M) h -> In r (menu h) ->
  runs (F M h r) = true -> both_fit M h r.
Proof.
  intros M h r Hr Hin Hrun. apply funded_maximal; try assumption. clear r Hin Hrun.
  induction h as [|[r [y|]] h IH]; [exact I | |].
  - destruct Hr as (Hr & Hin & Ho & _). specialize (IH Hr). unfold replies in Ho. split; [exact IH|].
    destruct (runs (F M h r)) eqn:Er; [|destruct Ho as [Ho|[]]; discriminate].
    split; [apply funded_maximal; assumption|]. apply in_map_iff in Ho. destruct Ho as [c [E Hc]].
    inversion E; subst. exact Hc.
  - destruct Hr as (Hr & _). exact (IH Hr).
Qed.
End JointMaximal.
