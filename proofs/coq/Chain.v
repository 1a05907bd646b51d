(* The sharp constant is attained: the chain game.

   In words: each of the first N - 1 rounds goes bad with probability th, whatever the database,
   and after a bad output the database is revealed; the last round is an erasure that reveals it
   with probability dt.  For every eps >= 0, dt, th in [0, 1] and N >= 1 the repaired filter takes
   every request of this chain and "true is revealed" has probability
   1 - (1 - dt)(1 - th)^(N-1) under one database and 0 under the other (`chain_attains`).  So the
   filter is private for no smaller d (`sharp_constant`), and the exponent cannot be N - 2. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz Arith.
From Filterproof Require Import Sums Model Audit LookAhead Repaired.
Import ListNotations.
Open Scope R_scope.

Section Chain.
Variables e dt th : R.
Hypothesis He : 1 <= e.
Hypothesis Hdt : 0 <= dt <= 1.
Hypothesis Hth : 0 <= th <= 1.
Variable N : nat.
Hypothesis HN : (1 <= N)%nat.

Definition c_menu (_ : hist unit nat) : list unit := [tt].
Definition c_outs (_ : hist unit nat) (_ : unit) : list nat := [0; 1; 2; 3]%nat.
Definition shown (x : bool) : nat := if x then 3%nat else 2%nat.
(* 0: nothing happened yet; 1: the last output was bad; else: over *)
Definition mode (h : hist unit nat) : nat :=
  match h with [] => 0%nat | (_, Some y) :: _ => y | (_, None) :: _ => 2%nat end.
Definition c_pr (x : bool) (h : hist unit nat) (_ : unit) (y : nat) : R :=
  match mode h with
  | O => if Nat.ltb (length h) (N - 1)
         then (match y with O => 1 - th | 1%nat => th | _ => 0 end)
         else (if Nat.eqb y (shown x) then dt else if Nat.eqb y 0 then 1 - dt else 0)
  | 1%nat => if Nat.eqb y (shown x) then 1 else 0
  | _ => if Nat.eqb y 0 then 1 else 0
  end.

Lemma c_nonneg : forall x h r y, 0 <= c_pr x h r y.
Proof.
  intros x h r y; unfold c_pr. destruct (mode h) as [|[|k]].
  - destruct (Nat.ltb _ _); [destruct y as [|[|y]]; lra|].
    destruct (Nat.eqb y (shown x)); [lra|]; destruct (Nat.eqb y 0); lra.
  - destruct (Nat.eqb _ _); lra.
  - destruct (Nat.eqb _ _); lra.
Qed.
Lemma c_sum : forall x h r, sumf (c_outs h r) (c_pr x h r) = 1.
Proof.
  intros x h r; unfold c_outs, sumf, c_pr; simpl. destruct (mode h) as [|[|k]].
  - destruct (Nat.ltb _ _); destruct x; simpl; lra.
  - destruct x; simpl; lra.
  - destruct x; simpl; lra.
Qed.
Definition chain : mechanism bool c_outs := Build_mechanism _ _ bool c_outs c_pr c_nonneg c_sum.

Lemma tt_nodup : forall h, NoDup (c_menu h).
Proof. intros. repeat constructor; auto. Qed.
Definition asker : adversary c_menu :=
  follow (fun a b : unit => match a, b with tt, tt => left eq_refl end) tt_nodup
    (fun _ => Some tt) (fun h r _ => match r with tt => or_introl eq_refl end).

Definition c_pairs : list (bool * bool) := [(true, false); (false, true)].
Definition c_repaired : filter unit nat := repaired c_menu chain c_pairs e dt th N.

(* ---------- while nothing happened every check passes ---------- *)
Definition quiet (h : hist unit nat) : bool :=
  forallb (fun t => match snd t with Some y => Nat.eqb y 0 | None => false end) h.

Lemma quiet_cons : forall r o h, quiet ((r, o) :: h) = true -> o = Some 0%nat /\ quiet h = true.
Proof.
  intros r [y|] h Hq; simpl in Hq; [|discriminate].
  apply andb_true_iff in Hq. destruct Hq as [Hy Hq]. apply Nat.eqb_eq in Hy. subst y. auto.
Qed.

Lemma quiet_mode : forall h, quiet h = true -> mode h = 0%nat.
Proof.
  intros [|[r o] h] Hq; [reflexivity|]. apply quiet_cons in Hq. destruct Hq as [-> _].
  reflexivity.
Qed.

Lemma quiet_like : forall h, quiet h = true -> like chain true h = like chain false h.
Proof.
  induction h as [|[r o] h IH]; intros Hq; [reflexivity|].
  apply quiet_cons in Hq. destruct Hq as [-> Hq]. simpl.
  rewrite (IH Hq). unfold c_pr. rewrite (quiet_mode h Hq). destruct (Nat.ltb _ _); simpl; ring.
Qed.

Lemma quiet_good : forall x x' h, x <> x' -> quiet h = true ->
  good c_menu chain e dt x x' h = true.
Proof.
  intros x x' h Hx Hq. unfold good. simpl. rewrite andb_true_r.
  apply Rleb_true. unfold tail, sumf; simpl.
  assert (EL : like chain x h = like chain x' h)
    by (pose proof (quiet_like h Hq); destruct x, x'; congruence).
  pose proof (like_nonneg chain x' h) as Hl.
  unfold exceed. simpl like. unfold c_pr. rewrite (quiet_mode h Hq), EL.
  set (L := like chain x' h) in *.
  assert (S : forall c, 0 <= c -> ind (Rltb (e * (L * c)) (L * c)) = 0).
  { intros c Hc. destruct (Rltb (e * (L * c)) (L * c)) eqn:E; [|reflexivity].
    apply Rltb_true in E. assert (0 <= L * c) by (apply Rmult_le_pos; lra). nra. }
  assert (B : forall b, 0 <= dt * ind b <= dt)
    by (intros b; pose proof (ind_range b); split; nra).
  destruct (Nat.ltb (length h) (N - 1)).
  - rewrite !S by lra. lra.
  - destruct x, x'; try congruence; simpl; rewrite !S by lra;
    match goal with |- context [dt * ind ?b] => pose proof (B b) end; lra.
Qed.

Lemma distinct : forall x x', In (x, x') c_pairs -> x <> x'.
Proof. intros x x' [E|[E|[]]]; inversion E; discriminate. Qed.

Lemma c_start : start_test c_menu chain c_pairs e dt = true.
Proof.
  apply start_test_spec. intros x x' Hp.
  apply quiet_good; [apply distinct; assumption | reflexivity].
Qed.

Lemma quiet_passes : forall h r, quiet h = true -> (length h < N - 1)%nat ->
  repaired_test c_menu chain c_pairs e dt th h r = true.
Proof.
  intros h r Hq Hl. apply repaired_test_spec. intros x x' Hp. apply distinct in Hp.
  unfold pgood. change (c_outs h r) with [0;1;2;3]%nat.
  rewrite !sumf_cons. change (sumf (@nil nat) _) with 0. cbv beta.
  rewrite (quiet_good x x' ((r, Some 0%nat) :: h) Hp) by exact Hq.
  change (pr chain) with c_pr. unfold c_pr. rewrite (quiet_mode h Hq).
  apply Nat.ltb_lt in Hl. rewrite Hl. simpl (ind true).
  match goal with |- context [th * ind ?b] => pose proof (ind_range b) end. nra.
Qed.

(* ---------- the probability that true is shown ---------- *)
Definition shows_true (h : hist unit nat) : bool :=
  existsb (fun t => match snd t with Some y => Nat.eqb y 3 | None => false end) h.
Local Notation value x n h := (law asker c_repaired chain x n h (fun k => ind (shows_true k))).

Lemma value_turn : forall x n h, value x (S n) h =
  sumf (replies c_outs c_repaired h tt) (fun o => chance chain x h tt o *
    (if goes_on (c_repaired h tt) then value x n ((tt, o) :: h)
     else ind (shows_true ((tt, o) :: h)))).
Proof. intros x n h. cbn [law]. unfold asker at 1 2. rewrite follow_turn. reflexivity. Qed.

Lemma shown_stays : forall x n h, shows_true h = true -> value x n h = 1.
Proof.
  intros x n. induction n as [|n IH]; intros h Hh; [simpl; rewrite Hh; reflexivity|].
  rewrite value_turn, (sumf_ext _ _ _ (chance chain x h tt)); [apply chance_sum|].
  intros o _.
  assert (Q : shows_true ((tt, o) :: h) = true) by (simpl; rewrite Hh; apply orb_true_r).
  destruct (goes_on _); [rewrite IH by exact Q | rewrite Q]; simpl ind; ring.
Qed.

(* whatever its test says, the filter releases one more output while rounds are left *)
Lemma releases : forall h, (length h < N)%nat -> runs (c_repaired h tt) = true.
Proof.
  intros h Hl. unfold c_repaired, repaired, lookahead. rewrite c_start.
  apply Nat.ltb_lt in Hl. rewrite Hl. simpl. destruct (_ && _); reflexivity.
Qed.

Lemma bad_reveals : forall n h, mode h = 1%nat -> (length h < N)%nat -> value true (S n) h = 1.
Proof.
  intros n h Hm Hl. rewrite value_turn. unfold replies. rewrite (releases h Hl), sumf_map.
  rewrite (sumf_ext _ _ _ (c_pr true h tt)); [apply c_sum|].
  intros y _. simpl chance. unfold c_pr. rewrite Hm.
  destruct (Nat.eqb y (shown true)) eqn:E; [|ring]. apply Nat.eqb_eq in E. subst y.
  destruct (goes_on _); [rewrite shown_stays by reflexivity|]; simpl; ring.
Qed.

Lemma quiet_shows_nothing : forall h, quiet h = true -> shows_true h = false.
Proof.
  induction h as [|[r o] h IH]; intros Hq; [reflexivity|].
  apply quiet_cons in Hq. destruct Hq as [-> Hq]. simpl. apply IH; exact Hq.
Qed.

Lemma quiet_value : forall m n h, quiet h = true -> (length h + S m = N)%nat -> (m <= n)%nat ->
  value true (S n) h = 1 - (1 - dt) * (1 - th) ^ m.
Proof.
  induction m as [|m IH]; intros n h Hq Hl Hn; rewrite value_turn; unfold replies;
  rewrite (releases h) by lia; rewrite sumf_map.
  - assert (Hlast : goes_on (c_repaired h tt) = false).
    { unfold c_repaired, repaired, lookahead. rewrite c_start.
      replace (length h <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
      replace (S (length h) <? N)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
      rewrite andb_false_r. reflexivity. }
    rewrite Hlast. unfold c_outs, sumf; simpl. unfold c_pr. rewrite (quiet_mode h Hq).
    replace (Nat.ltb (length h) (N - 1)) with false by (symmetry; apply Nat.ltb_ge; lia).
    rewrite (quiet_shows_nothing h Hq). simpl; ring.
  - destruct n as [|n]; [lia|].
    assert (Hgo : goes_on (c_repaired h tt) = true).
    { unfold c_repaired, repaired, lookahead. rewrite c_start, quiet_passes by (auto; lia).
      replace (length h <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
      replace (S (length h) <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity. }
    rewrite Hgo. change (c_outs h tt) with [0;1;2;3]%nat.
    rewrite !sumf_cons. change (sumf (@nil nat) _) with 0. cbv beta. simpl chance.
    rewrite (IH n ((tt, Some 0%nat) :: h)); [|exact Hq | simpl; lia | lia].
    rewrite (bad_reveals n ((tt, Some 1%nat) :: h)) by (simpl; lia || reflexivity).
    unfold c_pr. rewrite (quiet_mode h Hq).
    replace (Nat.ltb (length h) (N - 1)) with true by (symmetry; apply Nat.ltb_lt; lia).
    simpl pow. ring.
Qed.

Lemma never_shown : forall n h, shows_true h = false -> value false n h = 0.
Proof.
  induction n as [|n IH]; intros h Hh; [simpl; rewrite Hh; reflexivity|].
  rewrite value_turn, (sumf_ext _ _ _ (fun _ => 0)); [apply sumf_zero|].
  intros o Ho.
  assert (Q : chance chain false h tt o = 0 \/ shows_true ((tt, o) :: h) = false).
  { destruct o as [y|]; [|right; simpl; exact Hh].
    destruct (Nat.eq_dec y 3) as [->|Hne].
    - left. simpl. unfold c_pr. destruct (mode h) as [|[|k]]; [destruct (Nat.ltb _ _)|..];
      reflexivity.
    - right. simpl. apply Nat.eqb_neq in Hne. rewrite Hne. exact Hh. }
  destruct Q as [->|Q]; [ring|].
  destruct (goes_on _); [rewrite IH by exact Q | rewrite Q]; simpl ind; ring.
Qed.

Theorem chain_attains :
  prob asker c_repaired chain true N shows_true = 1 - (1 - dt) * (1 - th) ^ (N - 1) /\
  prob asker c_repaired chain false N shows_true = 0.
Proof.
  unfold prob. split; [|apply never_shown; reflexivity].
  replace N with (S (N - 1)) at 1 by lia. apply quiet_value; [reflexivity | simpl; lia | lia].
Qed.

Theorem sharp_constant : forall d, private c_menu chain c_repaired e d true false ->
  1 - (1 - dt) * (1 - th) ^ (N - 1) <= d.
Proof.
  intros d Hp. specialize (Hp asker N shows_true). destruct chain_attains as [E1 E2].
  rewrite E1, E2 in Hp. lra.
Qed.
End Chain.
