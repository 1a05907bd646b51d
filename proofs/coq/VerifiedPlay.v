(* The turns of a certificate as an adversary in the game of Games.v.

   In words: at each transcript that leads to a turn (`at_turn`) the game is at the node that the turn
   names (`walk_at`), the turn's request is on the menu (`asked_from_menu`), and the outputs and
   their law are those of the certificate (`rows_at`).  So sending that request, and stopping at all
   other transcripts, is an adversary: `player`. *)
From Coq Require Import QArith Qreals Reals List Bool Arith Lia Lra.
From Filterproof Require Import Sums Model Rational Games Verified.
Import ListNotations.
Open Scope nat_scope.

(* ---------- lists whose latest element stands first ---------- *)
Lemma get_here : forall A (l : list A) a d, get (a :: l) (length l) d = a.
Proof. intros. unfold get. cbn [length]. rewrite Nat.sub_diag. reflexivity. Qed.
Lemma get_before : forall A (l : list A) a n d, n < length l -> get (a :: l) n d = get l n d.
Proof.
  intros. unfold get. cbn [length]. replace (S (length l) - S n) with (S (length l - S n)) by lia.
  reflexivity.
Qed.

Lemma grow_length : forall ns, length (grow ns) = length ns.
Proof. induction ns; simpl; congruence. Qed.

Definition before (n : nat) (menu : list offer) : Prop :=
  forall o w, In o menu -> In w (leaves_of o) -> snd w < n.

Lemma plant_more : forall built t menu, before (length built) menu ->
  plant (t :: built) menu = plant built menu.
Proof.
  intros built t menu Hm. unfold plant. f_equal. apply map_ext_in. intros o Ho. f_equal.
  apply map_ext_in. intros w Hw. unfold planted. f_equal. apply get_before. eapply Hm; eassumption.
Qed.

(* what the proof needs of a certificate; `accepts` tests it *)
Record playable (c : certificate) : Prop := {
  nodes_good : good_nodes c (nodes c) = true;
  turns_good : good_turns c 0 (turns c) = true;
  turns_some : 0 < length (turns c);
  nodes_some : 0 < length (nodes c);
  first_turn : node (turn_at c 0) = length (nodes c) - 1 }.
Arguments nodes_good {c}. Arguments turns_good {c}. Arguments turns_some {c}.
Arguments nodes_some {c}. Arguments first_turn {c}.

Section Play.
Context {c : certificate} (ok : playable c).
Local Notation H := (hist nat nat).
Local Notation T := (game c).
Local Notation tr := (turn_at c).
Local Notation tree_at n := (get (forest c) n (Menu [])).

Lemma good_at : forall ns n o, good_nodes c ns = true -> n < length ns -> In o (get ns n []) ->
  good_offer c n o = true.
Proof.
  induction ns as [|menu ns IH]; intros n o Hg Hn Ho; [simpl in Hn; lia|].
  cbn [good_nodes] in Hg. apply andb_true_iff in Hg. destruct Hg as [Hm Hg].
  destruct (Nat.eq_dec n (length ns)) as [->|Hne].
  - rewrite get_here in Ho. rewrite forallb_forall in Hm. auto.
  - cbn [length] in Hn. rewrite get_before in Ho by lia. apply IH; [assumption | lia | assumption].
Qed.

Lemma good_before : forall ns n, good_nodes c ns = true -> n < length ns -> before n (get ns n []).
Proof.
  intros ns n Hg Hn o w Ho Hw. pose proof (good_at ns n o Hg Hn Ho) as Hgo. unfold good_offer in Hgo.
  rewrite !andb_true_iff in Hgo. destruct Hgo as [[[[[Hl _] _] _] _] _].
  rewrite forallb_forall in Hl. specialize (Hl w Hw). unfold good_leaf in Hl.
  rewrite !andb_true_iff in Hl. destruct Hl as [[_ Hl] _]. apply Nat.ltb_lt in Hl. exact Hl.
Qed.

Lemma grown : forall ns n, good_nodes c ns = true -> n < length ns ->
  get (grow ns) n (Menu []) = plant (grow ns) (get ns n []).
Proof.
  induction ns as [|menu ns IH]; intros n Hg Hn; [simpl in Hn; lia|].
  pose proof (good_before _ n Hg Hn) as Hb. cbn [grow].
  assert (Hg' : good_nodes c ns = true)
    by (cbn [good_nodes] in Hg; apply andb_true_iff in Hg; apply Hg).
  destruct (Nat.eq_dec n (length ns)) as [->|Hne].
  - rewrite get_here in Hb |- *. rewrite <- (grow_length ns) at 1. rewrite get_here.
    symmetry. apply plant_more. rewrite grow_length. exact Hb.
  - cbn [length] in Hn. rewrite get_before in Hb |- * by (rewrite ?grow_length; lia).
    rewrite get_before by (rewrite ?grow_length; lia). rewrite IH by (auto; lia).
    symmetry. apply plant_more. rewrite grow_length. intros o w Ho Hw.
    specialize (Hb o w Ho Hw). lia.
Qed.

(* ---------- laws: what the tree of Games.v offers is what the certificate says ---------- *)
Lemma lawful_fst : forall top (l m : list row), map fst l = map fst m -> lawful top l = lawful top m.
Proof.
  intros top l m E. unfold lawful.
  assert (Ho : map output l = map output m)
    by (transitivity (map fst (map fst l)); [|rewrite E]; rewrite map_map; reflexivity).
  assert (Hn : forallb (fun w : row => forallb (Qle_bool 0) (snd (fst w))) l =
               forallb (fun w : row => forallb (Qle_bool 0) (snd (fst w))) m).
  { clear Ho. revert m E. induction l as [|v l IH]; intros [|w m] E; try discriminate; [reflexivity|].
    simpl in E. injection E as E1 E2. cbn [forallb]. rewrite E1, (IH m E2). reflexivity. }
  assert (Hs : forall x, sumQ l (entry top x) = sumQ m (entry top x)).
  { clear Ho Hn. intros x. revert m E.
    induction l as [|v l IH]; intros [|w m] E; try discriminate; [reflexivity|].
    simpl in E. injection E as E1 E2. unfold sumQ in *. cbn [fold_right]. rewrite (IH m E2).
    unfold entry. rewrite E1. reflexivity. }
  rewrite Ho. f_equal; [f_equal; exact Hn|]. apply forallb_same. intros x. rewrite Hs. reflexivity.
Qed.

Lemma find_mapped : forall A B (k : A -> B) (p : B -> bool) l,
  find p (map k l) = option_map k (find (fun a => p (k a)) l).
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [map find]. destruct (p (k a)); [reflexivity | exact IH].
Qed.

Lemma rows_at : forall n r o, n < length (nodes c) -> find_offer c n r = Some o ->
  rows (top c) (tree_at n) r = map (planted (forest c)) (leaves_of o) /\ good_offer c n o = true.
Proof.
  intros n r o Hn Ho. pose proof Ho as Hin. unfold find_offer in Ho, Hin. apply find_some in Hin.
  pose proof (good_at _ n o (nodes_good ok) Hn (proj1 Hin)) as Hg. split; [|exact Hg].
  unfold forest. rewrite grown by (auto using nodes_good). unfold rows, plant. cbn [offers].
  rewrite find_mapped. cbn [fst]. rewrite Ho. cbn [option_map snd].
  replace (lawful _ _) with true; [reflexivity|].
  unfold good_offer in Hg. rewrite !andb_true_iff in Hg. destruct Hg as [[[[[_ Hl] _] _] _] _].
  rewrite <- Hl. apply lawful_fst. rewrite !map_map. reflexivity.
Qed.

(* ---------- turns ---------- *)
Lemma good_turn_at : forall i, i < length (turns c) -> good_turn c i (tr i) = true.
Proof.
  unfold turn_at. intros i Hi.
  assert (forall ts k n, good_turns c k ts = true -> n < length ts ->
    good_turn c (k + n) (nth n ts no_turn) = true) as G.
  { clear. induction ts as [|t ts IH]; intros k n Hg Hn; [simpl in Hn; lia|].
    cbn [good_turns] in Hg. apply andb_true_iff in Hg. destruct Hg as [H1 H2].
    destruct n as [|n]; [rewrite Nat.add_0_r; exact H1|].
    simpl in Hn. rewrite Nat.add_succ_r. apply (IH (S k) n); [exact H2 | lia]. }
  apply (G (turns c) 0 i (turns_good ok) Hi).
Qed.

Lemma offered : forall i, i < length (turns c) ->
  exists o, find_offer c (node (tr i)) (request (tr i)) = Some o.
Proof.
  intros i Hi. pose proof (good_turn_at i Hi) as Hg. unfold good_turn in Hg.
  destruct (find_offer _ _ _) as [o|]; [exists o; reflexivity | discriminate].
Qed.

Lemma leads_spec : forall i n j, leads c i n (Some j) = true ->
  i < j /\ j < length (turns c) /\ node (tr j) = n.
Proof.
  intros i n j E. cbn [leads] in E. rewrite !andb_true_iff in E. destruct E as [[E1 E2] E3].
  apply Nat.ltb_lt in E1, E2. apply Nat.eqb_eq in E3. auto.
Qed.

Lemma covers_spec : forall o t, covers o t = true ->
  map fst (next t) = map (fun w => fst (fst w)) (leaves_of o).
Proof. intros o t. unfold covers. destruct (list_eq_dec _ _ _); [auto | discriminate]. Qed.

Lemma lookup_in : forall A n (l : list (nat * A)) a, lookup n l = Some a -> In n (map fst l).
Proof.
  induction l as [|[m b] l IH]; intros a E; [discriminate|]. cbn [lookup] in E.
  destruct (n =? m) eqn:En; [left; symmetry; apply Nat.eqb_eq; exact En | right; eapply IH; exact E].
Qed.

(* the leaf of an output at a turn that is run, and the tree after it *)
Lemma leaf_of : forall n r o w, n < length (nodes c) -> find_offer c n r = Some o ->
  In w (leaves_of o) ->
  find (fun v => Nat.eqb (output v) (fst (fst w))) (rows (top c) (tree_at n) r) =
    Some (planted (forest c) w).
Proof.
  intros n r o w Hn Ho Hw. destruct (rows_at _ _ _ Hn Ho) as [Hr Hg].
  rewrite Hr. change (fst (fst w)) with (output (planted (forest c) w)). apply find_distinct.
  - unfold good_offer in Hg. rewrite !andb_true_iff in Hg. destruct Hg as [[[[[_ Hl] _] _] _] _].
    unfold lawful in Hl. rewrite !andb_true_iff in Hl. destruct Hl as [[Hd _] _].
    rewrite map_map in Hd |- *. exact Hd.
  - apply in_map. exact Hw.
Qed.

Lemma follow_spec : forall i r o j, i < length (turns c) -> node (tr i) < length (nodes c) ->
  follow c i r o = Some j -> r = request (tr i) /\ i < j /\ j < length (turns c) /\
  match o with
  | None => said (tr i) = Refuse /\ node (tr j) = node (tr i)
  | Some y => said (tr i) = Continue /\ node (tr j) < node (tr i) /\
      child (top c) (tree_at (node (tr i))) r y = tree_at (node (tr j))
  end.
Proof.
  intros i r o j Hi Hn E. unfold follow in E.
  destruct (r =? request (tr i)) eqn:Er; [|discriminate]. apply Nat.eqb_eq in Er. subst r.
  split; [reflexivity|]. pose proof (good_turn_at i Hi) as Hg. unfold good_turn in Hg.
  destruct (find_offer _ _ _) as [of|] eqn:Ho; [|discriminate].
  destruct (said (tr i)) eqn:Es; cbn [goes_on runs] in E; try discriminate; destruct o as [y|];
    try discriminate.
  - unfold turn_after in E. destruct (lookup y _) as [[j'|]|] eqn:El; try discriminate.
    injection E as ->.
    apply andb_true_iff in Hg. destruct Hg as [Hc Hg]. rewrite forallb_forall in Hg.
    pose proof (lookup_in _ _ _ _ El) as Hy. rewrite (covers_spec _ _ Hc) in Hy.
    apply in_map_iff in Hy. destruct Hy as (w & <- & Hw). pose proof (leaf_of _ _ _ w Hn Ho Hw) as Hf.
    specialize (Hg w Hw). rewrite El in Hg. apply leads_spec in Hg. destruct Hg as (H1 & H2 & H3).
    repeat split; try assumption.
    + rewrite H3. unfold find_offer in Ho. apply find_some in Ho.
      apply (good_before _ _ (nodes_good ok) Hn of w); [apply Ho | exact Hw].
    + unfold child. rewrite Hf. unfold planted. cbn [snd]. rewrite H3. reflexivity.
  - unfold turn_after in E. destruct (next (tr i)) as [|[[|n] j'] [|? ?]]; try discriminate.
    cbn [lookup Nat.eqb] in E.
    subst j'. apply leads_spec in Hg. destruct Hg as (H1 & H2 & H3). repeat split; assumption.
Qed.

Lemma walk_at : forall h i, at_turn c h = Some i -> i < length (turns c) /\
  node (tr i) < length (nodes c) /\ walk (top c) T h = tree_at (node (tr i)).
Proof.
  induction h as [|[r o] h IH]; intros i E.
  - injection E as <-. rewrite (first_turn ok). pose proof (nodes_some ok).
    repeat split; [apply (turns_some ok) | lia].
  - cbn [at_turn] in E. destruct (at_turn c h) as [k|]; [|discriminate].
    destruct (IH k eq_refl) as (Hk & Hn & Hw).
    destruct (follow_spec k r o i Hk Hn E) as (-> & _ & Hi & Ho).
    split; [exact Hi|]. destruct o as [y|]; cbn [walk]; rewrite Hw.
    + destruct Ho as (_ & Hlt & Hc). split; [lia | exact Hc].
    + destruct Ho as (_ & ->). split; [exact Hn | reflexivity].
Qed.

(* ---------- the adversary ---------- *)
Local Notation menu := (tree_menu (top c) T).
Local Notation M := (tree_mechanism (top c) T).

Lemma menu_distinct : forall h, NoDup (menu h).
Proof.
  induction h as [|[r [y|]] h IH]; cbn [tree_menu]; [apply NoDup_nodup | apply NoDup_nodup | exact IH].
Qed.

Lemma menu_here : forall h r, In r (requests (walk (top c) T h)) -> In r (menu h).
Proof.
  induction h as [|[r' [y|]] h IH]; intros r Hr; cbn [tree_menu walk] in *.
  - apply nodup_In. exact Hr.
  - unfold tree_offer. apply nodup_In. unfold child in Hr.
    destruct (find _ _) as [w|] eqn:E; [|destruct Hr]. apply find_some in E.
    apply in_flat_map. exists w. split; [apply E | exact Hr].
  - apply IH. exact Hr.
Qed.

Lemma asked_from_menu : forall h i, at_turn c h = Some i -> In (request (tr i)) (menu h).
Proof.
  intros h i E. apply menu_here. destruct (walk_at h i E) as (Hi & Hn & ->).
  destruct (offered i Hi) as [o Ho]. unfold forest. rewrite grown by (auto using nodes_good).
  unfold find_offer in Ho. apply find_some in Ho. destruct Ho as [Ho Hr]. apply Nat.eqb_eq in Hr.
  unfold requests, plant. cbn [offers]. rewrite map_map. cbn [fst]. rewrite <- Hr.
  apply in_map. exact Ho.
Qed.

Definition asks_for (h : H) (r : nat) : R :=
  match at_turn c h with Some i => point Nat.eq_dec (request (tr i)) r | None => 0%R end.
Lemma asks_nonneg : forall h r, (0 <= asks_for h r)%R.
Proof. intros. unfold asks_for. destruct (at_turn c h); [apply point_nonneg | lra]. Qed.
Lemma asks_sum : forall h, (sumf (menu h) (asks_for h) <= 1)%R.
Proof.
  intros h. unfold asks_for. destruct (at_turn c h) as [i|] eqn:E.
  - rewrite sumf_point1; [lra | apply menu_distinct | apply asked_from_menu; exact E].
  - rewrite sumf_zero. lra.
Qed.
Definition player : adversary menu := Build_adversary _ _ menu asks_for asks_nonneg asks_sum.
End Play.
