(* What the verified checker accepts is a violation: `accepted_is_violated`, `accepted_not_private`.

   In words: against a filter that answers as the certificate says, what its adversary (`player`)
   sees has the law that the turns describe (`law_value`), and summing masses forwards over the turns
   gives the same number as following each of them backwards (`forwards`).  So the masses that are
   stated are the probabilities of the event (`mass_is_probability`), and their excess is positive
   because `sign` says so (`sign_sound`). *)
From Coq Require Import QArith Qreals Reals List Bool Arith Lia Lra.
From Filterproof Require Import Sums Model Rational Games VerifiedExp Verified VerifiedPlay.
Import ListNotations.
Open Scope nat_scope.

Section Sound.
Context {c : certificate} (ok : playable c).
Local Notation H := (hist nat nat).
Local Notation T := (game c).
Local Notation tr := (turn_at c).
Local Notation menu := (tree_menu (top c) T).
Local Notation M := (tree_mechanism (top c) T).

(* ---------- following the turns backwards ---------- *)
Variable F : filter nat nat.
Hypothesis F_answers : answers_so c F.
Variable x : nat.
Open Scope R_scope.

Definition worth (i : nat) (v : nat -> R) (m : move) : R :=
  Q2R (mass m) * match goes m with Some j => v j | None => ind (in_event c i (to m)) end.
Fixpoint value (i : nat) (ts : list turn) : list R :=
  match ts with
  | [] => []
  | t :: ts' => let vs := value (S i) ts' in
      sumf (moves c x t) (worth i (fun j => nth (j - S i) vs 0)) :: vs
  end.
Lemma value_length : forall ts i, length (value i ts) = length ts.
Proof. induction ts as [|t ts IH]; intros i; [|cbn [value length]; rewrite IH]; reflexivity. Qed.

(* moves of a good turn lead forwards *)
Definition forward (i n : nat) (t : turn) : Prop :=
  forall m j, In m (moves c x t) -> goes m = Some j -> (i < j < n)%nat.

Lemma lookup_end : forall t y, forallb is_end (next t) = true -> turn_after t y = None.
Proof.
  intros t y. unfold turn_after.
  induction (next t) as [|[n j] l IH]; intros E; [reflexivity|]. cbn [forallb] in E.
  apply andb_true_iff in E. destruct E as [E1 E2]. cbn [lookup].
  destruct (Nat.eqb y n); [|auto]. destruct j; [discriminate | reflexivity].
Qed.

Lemma moves_forward : forall i, (i < length (turns c))%nat -> forward i (length (turns c)) (tr i).
Proof.
  intros i Hi m j Hm Hj. pose proof (good_turn_at ok i Hi) as Hg. unfold good_turn in Hg.
  unfold moves, leaves_at in Hm. destruct (find_offer _ _ _) as [o|]; [|discriminate].
  destruct (said (tr i)).
  - destruct Hm as [<-|[]]. discriminate.
  - apply andb_true_iff in Hg. destruct Hg as [_ Hg].
    apply in_map_iff in Hm. destruct Hm as (w & <- & _). cbn [goes] in Hj.
    rewrite lookup_end in Hj by exact Hg. discriminate.
  - apply andb_true_iff in Hg. destruct Hg as [_ Hg]. rewrite forallb_forall in Hg.
    apply in_map_iff in Hm. destruct Hm as (w & <- & Hw). cbn [goes] in Hj. specialize (Hg w Hw).
    unfold turn_after in Hj. destruct (lookup _ _) as [j'|]; [|discriminate]. subst j'.
    apply leads_spec in Hg. lia.
  - destruct (next (tr i)) as [|[[|n] j'] [|? ?]]; try discriminate.
    destruct Hm as [<-|[]]. cbn [goes fst snd] in Hj. subst j'. apply leads_spec in Hg. lia.
Qed.

Lemma value_nth : forall ts i k, (k < length ts)%nat ->
  (forall n, (n < length ts)%nat -> forward (i + n) (i + length ts) (nth n ts no_turn)) ->
  nth k (value i ts) 0 =
    sumf (moves c x (nth k ts no_turn)) (worth (i + k) (fun j => nth (j - i) (value i ts) 0)).
Proof.
  induction ts as [|t ts IH]; intros i k Hk Hf; [simpl in Hk; lia|]. cbn [value].
  destruct k as [|k].
  - cbn [nth]. rewrite Nat.add_0_r. apply sumf_ext. intros m Hm. unfold worth.
    destruct (goes m) as [j|] eqn:Ej; [|reflexivity].
    specialize (Hf 0%nat ltac:(simpl; lia) m j Hm Ej). replace (j - i)%nat with (S (j - S i)) by lia.
    reflexivity.
  - cbn [length] in *. cbn [nth]. rewrite (IH (S i) k); [| lia |].
    + rewrite Nat.add_succ_r. apply sumf_ext. intros m Hm. unfold worth.
      destruct (goes m) as [j|] eqn:Ej; [|reflexivity].
      specialize (Hf (S k) ltac:(lia) m j Hm Ej).
      replace (j - i)%nat with (S (j - S i)) by lia. reflexivity.
    + intros n Hn m j Hm Ej. specialize (Hf (S n) ltac:(lia) m j Hm Ej). lia.
Qed.

Definition worths (j : nat) : R := nth j (value 0 (turns c)) 0.
Lemma worths_spec : forall i, (i < length (turns c))%nat ->
  worths i = sumf (moves c x (tr i)) (worth i worths).
Proof.
  intros i Hi. unfold worths. rewrite value_nth; [| exact Hi | intros n Hn; apply moves_forward; exact Hn].
  apply sumf_ext. intros m _. unfold worth. destruct (goes m); [rewrite Nat.sub_0_r|]; reflexivity.
Qed.

(* ---------- the law of the play ---------- *)
Local Notation S_ := (fun h => ind (chosen c h)).

Lemma stopped : forall n h f, at_turn c h = None -> law (player ok) F M x n h f = f h.
Proof.
  intros [|n] h f E; [reflexivity|]. cbn [law].
  assert (Z : forall r, adv (player ok) h r = 0) by (intros r; cbn; unfold asks_for; rewrite E; reflexivity).
  assert (Hs : sumf (menu h) (adv (player ok) h) = 0)
    by (rewrite (sumf_ext _ _ _ (fun _ => 0)); [apply sumf_zero | intros; apply Z]).
  unfold stops. rewrite Hs, (sumf_ext _ _ _ (fun _ => 0)) by (intros; rewrite Z; ring).
  rewrite sumf_zero. ring.
Qed.

Lemma asked : forall n h i f, at_turn c h = Some i ->
  law (player ok) F M x (S n) h f = sumf (replies (tree_outs (top c) T) F h (request (tr i))) (fun o =>
    chance M x h (request (tr i)) o *
    (if goes_on (said (tr i)) then law (player ok) F M x n ((request (tr i), o) :: h) f
     else f ((request (tr i), o) :: h))).
Proof.
  intros n h i f E. cbn [law]. unfold stops. pose proof (asked_from_menu ok h i E) as Hin.
  assert (A : forall r, adv (player ok) h r = point Nat.eq_dec (request (tr i)) r)
    by (intros r; cbn; unfold asks_for; rewrite E; reflexivity).
  rewrite (sumf_ext _ _ (adv (player ok) h) (point Nat.eq_dec (request (tr i)))) by (intros; apply A).
  rewrite sumf_point1 by (auto using menu_distinct).
  rewrite (sumf_ext _ _ _ (fun r => point Nat.eq_dec (request (tr i)) r *
    sumf (replies (tree_outs (top c) T) F h r) (fun o => chance M x h r o *
      (if goes_on (F h r) then law (player ok) F M x n ((r, o) :: h) f else f ((r, o) :: h)))))
    by (intros; rewrite A; reflexivity).
  rewrite sumf_point by (auto using menu_distinct). rewrite (F_answers h i E). ring.
Qed.

Lemma chosen_last : forall h i r o, at_turn c h = Some i ->
  chosen c ((r, o) :: h) = in_event c i (label o).
Proof. intros h i r o E. cbn [chosen]. rewrite E. reflexivity. Qed.

(* ---------- what the play releases is what the moves say ---------- *)
Lemma replies_moves : forall h i v, at_turn c h = Some i ->
  (forall o, v o = match (if goes_on (said (tr i)) then follow c i (request (tr i)) o else None) with
                   | Some j => worths j
                   | None => ind (in_event c i (label o))
                   end) ->
  sumf (replies (tree_outs (top c) T) F h (request (tr i))) (fun o =>
    chance M x h (request (tr i)) o * v o) = worths i.
Proof.
  intros h i v E Hv. destruct (walk_at ok h i E) as (Hi & Hn & Hw). rewrite worths_spec by exact Hi.
  pose proof (good_turn_at ok i Hi) as Hg. unfold good_turn in Hg.
  unfold replies. rewrite (F_answers h i E). unfold moves, leaves_at, follow in *.
  rewrite Nat.eqb_refl in Hv.
  destruct (find_offer _ _ _) as [of|] eqn:Ho; [|discriminate].
  destruct (rows_at ok _ _ _ Hn Ho) as [Hr _].
  assert (Hleaf : forall w, In w (leaves_of of) ->
    pr M x h (request (tr i)) (fst (fst w)) = Q2R (chance_of c x w)).
  { intros w Hin. cbn. unfold tree_pr. rewrite Hw.
    rewrite (leaf_of ok _ _ _ w Hn Ho Hin). reflexivity. }
  destruct (said (tr i)) eqn:Es; cbn [runs goes_on] in *.
  - rewrite !sumf_cons. simpl sumf. rewrite (Hv None).
    unfold worth. cbn. rewrite Q2R_1'. ring.
  - unfold tree_outs. rewrite sumf_map, Hw, Hr, !sumf_map.
    apply andb_true_iff in Hg. destruct Hg as [_ Hg].
    apply sumf_ext. intros w Hin. rewrite (Hv (Some _)).
    unfold worth. cbn [goes to mass]. rewrite lookup_end by exact Hg.
    rewrite <- Hleaf by exact Hin. reflexivity.
  - unfold tree_outs. rewrite sumf_map, Hw, Hr, !sumf_map.
    apply sumf_ext. intros w Hin. rewrite (Hv (Some _)).
    unfold worth. cbn [goes to mass]. rewrite <- Hleaf by exact Hin. reflexivity.
  - unfold turn_after in Hv. destruct (next (tr i)) as [|[[|n] j] [|? ?]]; try discriminate.
    cbn [map]. rewrite !sumf_cons. simpl sumf. rewrite (Hv None).
    unfold worth. cbn. rewrite Q2R_1'. ring.
Qed.
Lemma law_value : forall n h i, at_turn c h = Some i -> (length (turns c) - i <= n)%nat ->
  law (player ok) F M x n h S_ = worths i.
Proof.
  induction n as [|n IH]; intros h i E Hn; destruct (walk_at ok h i E) as (Hi & Hnode & _); [lia|].
  rewrite (asked n h i _ E). apply (replies_moves h i (fun o => if goes_on (said (tr i)) then
    law (player ok) F M x n ((request (tr i), o) :: h) S_ else S_ ((request (tr i), o) :: h)) E).
  intros o. destruct (goes_on (said (tr i))); [|rewrite (chosen_last h i _ o E); reflexivity].
  assert (Ea : at_turn c ((request (tr i), o) :: h) = follow c i (request (tr i)) o)
    by (cbn [at_turn]; rewrite E; reflexivity).
  destruct (follow c i (request (tr i)) o) as [j|] eqn:Ef.
  - apply IH; [exact Ea|]. destruct (follow_spec ok i _ o j Hi Hnode Ef) as (_ & Hj & _). lia.
  - rewrite stopped by exact Ea. rewrite (chosen_last h i _ o E). reflexivity.
Qed.

Theorem prob_value : prob (player ok) F M x (length (turns c)) (chosen c) = worths 0.
Proof. apply law_value; [reflexivity | lia]. Qed.

(* ---------- summing forwards ---------- *)
Fixpoint dot (l : list Q) (v : list R) : R :=
  match l, v with p :: l', a :: v' => Q2R p * a + dot l' v' | _, _ => 0 end.

Lemma add_at_length : forall l n m, length (add_at n m l) = length l.
Proof. induction l as [|p l IH]; intros [|n] m; cbn [add_at length]; auto. Qed.
Lemma dot_add_at : forall l v n m, length l = length v -> (n < length l)%nat ->
  dot (add_at n m l) v = dot l v + Q2R m * nth n v 0.
Proof.
  induction l as [|p l IH]; intros [|a v] [|n] m El Hn; try (simpl in *; lia); cbn [add_at dot nth].
  - rewrite Q2R_red, Q2R_plus. ring.
  - rewrite IH by (simpl in *; lia). ring.
Qed.

Lemma send_length : forall i p ms l, length (fold_left (send i p) ms l) = length l.
Proof.
  induction ms as [|m ms IH]; intros l; [reflexivity|]. cbn [fold_left]. rewrite IH. unfold send.
  destruct (goes m); [apply add_at_length | reflexivity].
Qed.

Lemma sumf_app : forall A (l m : list A) f, sumf (l ++ m) f = sumf l f + sumf m f.
Proof. induction l as [|a l IH]; intros m f; [simpl; ring|]. cbn [app]. rewrite !sumf_cons, IH. ring. Qed.

Definition counted (fs : list (nat * nat * Q)) : R :=
  sumf fs (fun f => Q2R (snd f) * ind (in_event c (fst (fst f)) (snd (fst f)))).

Lemma sent_and_ended : forall i p ms l v, length l = length v ->
  (forall m j, In m ms -> goes m = Some j -> (i < j < S i + length l)%nat) ->
  counted (flat_map (ends i p) ms) + dot (fold_left (send i p) ms l) v =
  dot l v + Q2R p * sumf ms (worth i (fun j => nth (j - S i) v 0)).
Proof.
  induction ms as [|m ms IH]; intros l v El Hj; [unfold counted; simpl; ring|].
  cbn [flat_map fold_left]. unfold counted. rewrite sumf_app. fold (counted (flat_map (ends i p) ms)).
  rewrite sumf_cons. unfold worth at 1, ends at 1, send at 2. destruct (goes m) as [j|] eqn:Eg.
  - pose proof (Hj m j (or_introl eq_refl) Eg) as Hb.
    simpl sumf at 1. rewrite Rplus_0_l, IH.
    + rewrite dot_add_at by (auto; lia). rewrite Q2R_mult. ring.
    + rewrite add_at_length. exact El.
    + intros m' j' Hm'. rewrite add_at_length. apply Hj. right. exact Hm'.
  - rewrite Rplus_assoc, IH; [|exact El | intros m' j' Hm'; apply Hj; right; exact Hm'].
    rewrite sumf_cons. cbn [fst snd]. rewrite Q2R_mult. simpl sumf at 1. ring.
Qed.

Lemma forwards : forall ts i reach, length reach = length ts ->
  (forall n, (n < length ts)%nat -> forward (i + n) (i + length ts) (nth n ts no_turn)) ->
  counted (finals c x i reach ts) = dot reach (value i ts).
Proof.
  induction ts as [|t ts IH]; intros i [|p rest] El Hf; try discriminate; [reflexivity|].
  injection El as El. cbn [finals value dot]. unfold counted. rewrite sumf_app.
  fold (counted (flat_map (ends i p) (moves c x t))).
  fold (counted (finals c x (S i) (fold_left (send i p) (moves c x t) rest) ts)).
  rewrite IH.
  - rewrite sent_and_ended; [ring | rewrite value_length; exact El |].
    intros m j Hm Hj. specialize (Hf 0%nat ltac:(simpl; lia) m j Hm Hj). cbn [length] in Hf. lia.
  - rewrite send_length. exact El.
  - intros n Hn m j Hm Hj. cbn [length] in Hf. specialize (Hf (S n) ltac:(lia) m j Hm Hj). lia.
Qed.

Lemma dot_zero : forall A (l : list A) v, dot (map (fun _ => 0%Q) l) v = 0.
Proof.
  induction l as [|a l IH]; intros [|b v]; try reflexivity. cbn [map dot]. rewrite IH, Q2R_0'. ring.
Qed.

Lemma sum_filtered : forall fs,
  Q2R (sumQ (List.filter (fun f => in_event c (fst (fst f)) (snd (fst f))) fs) snd) = counted fs.
Proof.
  intros fs. rewrite Q2R_sum. unfold counted. induction fs as [|f fs IH]; [reflexivity|].
  cbn [List.filter]. rewrite sumf_cons, <- IH.
  destruct (in_event _ _ _); [rewrite sumf_cons|]; simpl ind; ring.
Qed.

Theorem mass_is_probability :
  Q2R (mass_of c (all_finals c x)) = prob (player ok) F M x (length (turns c)) (chosen c).
Proof.
  rewrite prob_value. unfold mass_of. rewrite sum_filtered. unfold all_finals, worths.
  pose proof (forwards (turns c) 0) as Hf. pose proof (turns_some ok) as Hs.
  destruct (turns c) as [|t ts] eqn:Et; [simpl in Hs; lia|].
  rewrite Hf.
  - cbn [value dot nth]. rewrite dot_zero, Q2R_1'. ring.
  - cbn [length]. rewrite map_length. reflexivity.
  - intros n Hn. rewrite <- Et in *. apply (moves_forward n Hn).
Qed.
End Sound.

(* ---------- the theorem ---------- *)
Lemma andb_pieces : forall a b, a && b = true -> a = true /\ b = true.
Proof. intros. apply andb_true_iff. assumption. Qed.

Lemma same_eq : forall a b, same a b = true -> Q2R a = Q2R b.
Proof.
  intros [n d] [m e] E. unfold same in E. apply andb_pieces in E. destruct E as [E1 E2].
  apply Z.eqb_eq in E1. apply Pos.eqb_eq in E2. simpl in E1, E2. subst. reflexivity.
Qed.

Section Accepted.
Variable c : certificate.
Hypothesis yes : accepts c = true.
Local Notation M := (tree_mechanism (top c) (game c)).
Local Notation menu := (tree_menu (top c) (game c)).
Local Notation e := (odds (epsilon c)).

Local Notation ended := (all_finals c (fst (pair c))).
Local Notation ended' := (all_finals c (snd (pair c))).
Lemma accepted_parts : in_range c = true /\ good_game c = true /\ good_play c = true /\
  good_masses c ended ended' = true /\ good_claim c ended ended' = true.
Proof.
  unfold accepts, good_end in yes. rewrite !andb_true_iff in yes.
  destruct yes as [[[H1 H2] H3] [H4 H5]]. auto.
Qed.

Lemma accepted_budget : nonnegative (epsilon c).
Proof.
  destruct accepted_parts as (Hr & _). unfold in_range in Hr. rewrite !andb_true_iff in Hr.
  destruct Hr as [[[Hr _] _] _]. unfold nonnegative.
  destruct (epsilon c); rewrite !andb_true_iff in Hr; apply Qle_bool_iff; apply Hr.
Qed.

(* mass_x - delta > e^eps mass_x' *)
Lemma accepted_claim :
  (Q2R (fst (masses c)) > e * Q2R (snd (masses c)) + Q2R (delta c))%R.
Proof.
  destruct accepted_parts as (_ & _ & _ & Hm & Hc). unfold good_claim in Hc.
  destruct (sign _ _ _ _) as [[|]|] eqn:Es; try discriminate.
  apply sign_sound in Es; [|apply accepted_budget]. unfold right_about in Es.
  unfold good_masses in Hm. rewrite !andb_true_iff in Hm. destruct Hm as [[_ Ha] Hb].
  apply same_eq in Ha, Hb. rewrite Ha, Hb, !Q2R_red, Q2R_minus, Q2R_opp in Es. lra.
Qed.

Theorem accepted_masses : forall F, answers_so c F -> exists A : adversary menu,
  prob A F M (fst (pair c)) (length (turns c)) (chosen c) = Q2R (fst (masses c)) /\
  prob A F M (snd (pair c)) (length (turns c)) (chosen c) = Q2R (snd (masses c)).
Proof.
  intros F HF. destruct accepted_parts as (_ & Hg & Hp & Hm & _).
  unfold good_game in Hg. rewrite !andb_true_iff in Hg. destruct Hg as [_ Hnodes].
  unfold good_play in Hp. destruct (nodes c) as [|menu0 earlier] eqn:En; [discriminate|].
  destruct (turns c) as [|t later] eqn:Et; [discriminate|].
  rewrite !andb_true_iff in Hp. destruct Hp as [[[Hfirst Hturns] _] _]. apply Nat.eqb_eq in Hfirst.
  rewrite <- En in Hnodes. rewrite <- Et in *.
  assert (H1 : 0 < length (turns c)) by (rewrite Et; simpl; lia).
  assert (H2 : 0 < length (nodes c)) by (rewrite En; simpl; lia).
  assert (H3 : node (turn_at c 0) = length (nodes c) - 1)
    by (unfold turn_at; rewrite Et, En; simpl; lia).
  unfold good_masses in Hm. rewrite !andb_true_iff in Hm. destruct Hm as [[[Hx Hx'] _] _].
  apply same_eq in Hx, Hx'.
  exists (player (Build_playable c Hnodes Hturns H1 H2 H3)). rewrite Hx, Hx'.
  split; symmetry; apply mass_is_probability; exact HF.
Qed.

(* a violation: this adversary, its horizon, its event, with the masses that are stated *)
Theorem accepted_is_violated : forall F, answers_so c F -> exists A : adversary menu,
  (hockey A F M e (fst (pair c)) (snd (pair c)) (length (turns c)) > Q2R (delta c))%R.
Proof.
  intros F HF. destruct (accepted_masses F HF) as (A & Hx & Hx'). exists A.
  pose proof (hockey_upper _ A F M e (fst (pair c)) (snd (pair c)) (length (turns c)) (chosen c)).
  rewrite Hx, Hx' in H. pose proof accepted_claim. lra.
Qed.

Lemma accepted_neighbours : In (pair c) (related c ++ promised c).
Proof.
  destruct accepted_parts as (_ & Hg & _). unfold good_game in Hg. rewrite !andb_true_iff in Hg.
  destruct Hg as [[_ Hp] _]. apply existsb_exists in Hp. destruct Hp as ([z z'] & Hin & E).
  unfold equals in E. apply andb_pieces in E. destruct E as [E1 E2]. apply Nat.eqb_eq in E1, E2.
  cbn [fst snd] in E1, E2. subst z z'. rewrite <- surjective_pairing in Hin. exact Hin.
Qed.

Theorem accepted_not_private : forall F, answers_so c F ->
  In (pair c) (related c ++ promised c) /\ (1 <= e)%R /\
  ~ private menu M F e (Q2R (delta c)) (fst (pair c)) (snd (pair c)).
Proof.
  intros F HF. split; [apply accepted_neighbours|]. split; [apply odds_ge_1, accepted_budget|].
  intros Hp. destruct (accepted_masses F HF) as (A & Hx & Hx').
  specialize (Hp A (length (turns c)) (chosen c)). rewrite Hx, Hx' in Hp.
  pose proof accepted_claim. lra.
Qed.
End Accepted.

(* the theorems are not empty: some filter answers as any given certificate says *)
Definition as_said (c : certificate) : filter nat nat := fun h r =>
  match at_turn c h with Some i => said (turn_at c i) | None => Halt end.
Lemma someone_answers_so : forall c, answers_so c (as_said c).
Proof. intros c h i E. unfold as_said. rewrite E. reflexivity. Qed.
