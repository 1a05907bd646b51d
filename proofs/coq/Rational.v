(* Filters that compute: the repaired rule, the published rule and the compensator in rationals.

   In words: where all probabilities, e = exp(eps) and the parameters are rational, the tests of
   the filters are finite rational computations.  The functions here use no real number, and give
   at every transcript and request the answer that the specification in real numbers gives:
   `repaired_computes`, `published_computes`, `compensator_computes`.  So what is extracted from
   them is private: `computed_repaired_private`, `computed_compensator_private`. *)
From Coq Require Import QArith Qreals Rbase Rfunctions List Bool Lia Lra Arith.
From Filterproof Require Import Sums Model Identity Compensator LookAhead Repaired Published.
Import ListNotations.
Open Scope Q_scope.

(* ---------- rational sums and comparisons ---------- *)
Definition sumQ {A : Type} (l : list A) (f : A -> Q) : Q :=
  fold_right (fun a s => Qred (f a + s)) 0 l.
Definition Qltb (a b : Q) : bool := negb (Qle_bool b a).
Definition indQ (b : bool) : Q := if b then 1 else 0.
Definition posQ (a : Q) : Q := if Qle_bool 0 a then a else 0.

Section Computed.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable offer : hist Req Out -> Req -> list Req.
Variable outs : hist Req Out -> Req -> list Out.
Variable prQ : Db -> hist Req Out -> Req -> Out -> Q.
Variable pairs : list (Db * Db).
Variable eQ : Q.
Local Notation H := (hist Req Out).

Definition chanceQ (x : Db) (h : H) (r : Req) (o : option Out) : Q :=
  match o with Some y => prQ x h r y | None => 1 end.
Fixpoint likeQ (x : Db) (h : H) : Q :=
  match h with [] => 1 | (r, o) :: k => Qred (likeQ x k * chanceQ x k r o) end.
Definition exceedQ (x x' : Db) (h : H) : bool := Qltb (eQ * likeQ x' h) (likeQ x h).
Definition excessQ (x x' : Db) (h : H) : Q := posQ (likeQ x h - eQ * likeQ x' h).

(* look-ahead *)
Definition tailQ (x x' : Db) (h : H) (r : Req) : Q :=
  sumQ (outs h r) (fun y => prQ x h r y * indQ (exceedQ x x' ((r, Some y) :: h))).
Definition safeQ (dt : Q) (x x' : Db) (h : H) (r : Req) : bool := Qle_bool (tailQ x x' h r) dt.
Definition goodQ (dt : Q) (x x' : Db) (h : H) : bool := forallb (safeQ dt x x' h) (menu h).
Definition pgoodQ (dt : Q) (x x' : Db) (h : H) (r : Req) : Q :=
  sumQ (outs h r) (fun y => prQ x h r y * indQ (goodQ dt x x' ((r, Some y) :: h))).
Definition psafeQ (dt : Q) (x x' : Db) (h : H) (r r' : Req) : Q :=
  sumQ (outs h r) (fun y => prQ x h r y * indQ (safeQ dt x x' ((r, Some y) :: h) r')).

Definition start_testQ (dt : Q) : bool := forallb (fun p => goodQ dt (fst p) (snd p) []) pairs.
Definition repaired_testQ (dt th : Q) (h : H) (r : Req) : bool :=
  forallb (fun p => Qle_bool (1 - th) (pgoodQ dt (fst p) (snd p) h r)) pairs.
Definition published_testQ (dt th : Q) (h : H) (r : Req) : bool :=
  forallb (fun p => forallb (fun r' => Qle_bool (1 - th) (psafeQ dt (fst p) (snd p) h r r'))
    (offer h r)) pairs.
Definition repairedQ (dt th : Q) (N : nat) : filter Req Out :=
  lookahead (start_testQ dt) (repaired_testQ dt th) N.
Definition publishedQ (dt th : Q) (N : nat) : filter Req Out :=
  lookahead (start_testQ dt) (published_testQ dt th) N.

(* charges *)
Definition chargeQ (x x' : Db) (h : H) (r : Req) : Q :=
  if Qltb 0 (likeQ x h)
  then (sumQ (outs h r) (fun y => excessQ x x' ((r, Some y) :: h)) - excessQ x x' h) / likeQ x h
  else 0.
Fixpoint spentQ (x x' : Db) (h : H) : Q :=
  match h with
  | [] => 0
  | (r, Some _) :: k => Qred (spentQ x x' k + chargeQ x x' k r)
  | (_, None) :: k => spentQ x x' k
  end.
Definition affordableQ (d : Q) (h : H) (r : Req) : bool :=
  forallb (fun p => negb (Qltb 0 (likeQ (fst p) h)) ||
    Qle_bool (spentQ (fst p) (snd p) h + chargeQ (fst p) (snd p) h r) d) pairs.
Definition compensatorQ (d : Q) : filter Req Out :=
  fun h r => if affordableQ d h r then Continue else Halt.

(* ---------- the link to the specification ---------- *)
Hypothesis menu_offer : forall h r y, menu ((r, Some y) :: h) = offer h r.
Hypothesis prQ_nonneg : forall x h r y, 0 <= prQ x h r y.
Hypothesis prQ_sum : forall x h r, sumQ (outs h r) (prQ x h r) == 1.

Lemma Q2R_0' : Q2R 0 = 0%R. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_1' : Q2R 1 = 1%R. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_red : forall q, Q2R (Qred q) = Q2R q. Proof. intros; apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_sum : forall A (l : list A) f, Q2R (sumQ l f) = sumf l (fun a => Q2R (f a)).
Proof.
  induction l as [|a l IH]; intros f; [apply Q2R_0'|].
  rewrite sumf_cons, <- IH, <- Q2R_plus. apply Q2R_red.
Qed.
Lemma Qleb_Rleb : forall a b, Qle_bool a b = Rleb (Q2R a) (Q2R b).
Proof.
  intros. destruct (Qle_bool a b) eqn:E; symmetry.
  - apply Rleb_true. apply Qle_Rle, Qle_bool_iff; exact E.
  - apply Rleb_false. apply Qlt_Rlt. apply Qnot_le_lt. intro K. apply Qle_bool_iff in K. congruence.
Qed.
Lemma Qltb_Rltb : forall a b, Qltb a b = Rltb (Q2R a) (Q2R b).
Proof.
  intros. unfold Qltb. rewrite Qleb_Rleb. destruct (Rleb (Q2R b) (Q2R a)) eqn:E; symmetry.
  - apply Rltb_false. apply Rleb_true; exact E.
  - apply Rltb_true. apply Rleb_false; exact E.
Qed.
Lemma Q2R_ind : forall b, Q2R (indQ b) = ind b.
Proof. destruct b; [apply Q2R_1' | apply Q2R_0']. Qed.
Lemma Q2R_pos : forall a, Q2R (posQ a) = pos (Q2R a).
Proof.
  intros a. unfold posQ. rewrite Qleb_Rleb, Q2R_0'. destruct (Rleb 0 (Q2R a)) eqn:E.
  - apply Rleb_true in E. rewrite pos_of_nonneg; [reflexivity | assumption].
  - apply Rleb_false in E. rewrite pos_of_nonpos; [apply Q2R_0' | lra].
Qed.

Lemma prR_nonneg : forall x h r y, (0 <= Q2R (prQ x h r y))%R.
Proof. intros. rewrite <- Q2R_0'. apply Qle_Rle; auto. Qed.
Lemma prR_sum : forall x h r, sumf (outs h r) (fun y => Q2R (prQ x h r y)) = 1%R.
Proof. intros. rewrite <- Q2R_sum, <- Q2R_1'. apply Qeq_eqR; auto. Qed.
Definition real_mechanism : mechanism Db outs :=
  Build_mechanism _ _ Db outs (fun x h r y => Q2R (prQ x h r y)) prR_nonneg prR_sum.
Local Notation M := real_mechanism.
Local Notation e := (Q2R eQ).

Lemma forallb_same : forall A (f g : A -> bool) l, (forall a, f a = g a) ->
  forallb f l = forallb g l.
Proof. induction l as [|a l IH]; intros Hfg; simpl; [|rewrite Hfg, IH]; auto. Qed.

Lemma like_link : forall x h, Q2R (likeQ x h) = like M x h.
Proof.
  induction h as [|[r o] h IH]; [apply Q2R_1'|]. cbn [likeQ like].
  rewrite Q2R_red, Q2R_mult, IH. destruct o; cbn [chanceQ chance]; [|rewrite Q2R_1']; reflexivity.
Qed.
Lemma exceed_link : forall x x' h, exceedQ x x' h = exceed M e x x' h.
Proof. intros. unfold exceedQ, exceed. rewrite Qltb_Rltb, Q2R_mult, !like_link. reflexivity. Qed.
Lemma excess_link : forall x x' h, Q2R (excessQ x x' h) = excess M e x x' h.
Proof.
  intros. unfold excessQ, excess. rewrite Q2R_pos, Q2R_minus, Q2R_mult, !like_link. reflexivity.
Qed.
Lemma tail_link : forall x x' h r, Q2R (tailQ x x' h r) = tail M e x x' h r.
Proof.
  intros. unfold tailQ, tail. rewrite Q2R_sum. apply sumf_ext; intros y _.
  rewrite Q2R_mult, Q2R_ind, exceed_link. reflexivity.
Qed.
Lemma safe_link : forall dt x x' h r, safeQ dt x x' h r = safe M e (Q2R dt) x x' h r.
Proof. intros. unfold safeQ, safe. rewrite Qleb_Rleb, tail_link. reflexivity. Qed.
Lemma good_link : forall dt x x' h, goodQ dt x x' h = good menu M e (Q2R dt) x x' h.
Proof. intros. apply forallb_same. intros r. apply safe_link. Qed.
Lemma pgood_link : forall dt x x' h r,
  Q2R (pgoodQ dt x x' h r) = pgood menu M e (Q2R dt) x x' h r.
Proof.
  intros. unfold pgoodQ, pgood. rewrite Q2R_sum. apply sumf_ext; intros y _.
  rewrite Q2R_mult, Q2R_ind, good_link. reflexivity.
Qed.
Lemma psafe_link : forall dt x x' h r r',
  Q2R (psafeQ dt x x' h r r') = psafe M e (Q2R dt) x x' h r r'.
Proof.
  intros. unfold psafeQ, psafe. rewrite Q2R_sum. apply sumf_ext; intros y _.
  rewrite Q2R_mult, Q2R_ind, safe_link. reflexivity.
Qed.
Lemma start_link : forall dt, start_testQ dt = start_test menu M pairs e (Q2R dt).
Proof. intros. apply forallb_same. intros p. apply good_link. Qed.
Lemma Q2R_one_minus : forall th, Q2R (1 - th) = (1 - Q2R th)%R.
Proof. intros. rewrite Q2R_minus, Q2R_1'. reflexivity. Qed.

Theorem repaired_computes : forall dt th N h r,
  repairedQ dt th N h r = repaired menu M pairs e (Q2R dt) (Q2R th) N h r.
Proof.
  intros. unfold repairedQ, repaired, lookahead. rewrite start_link.
  replace (repaired_test menu M pairs e (Q2R dt) (Q2R th) h r) with (repaired_testQ dt th h r);
    [reflexivity|].
  apply forallb_same. intros p. rewrite Qleb_Rleb, pgood_link, Q2R_one_minus. reflexivity.
Qed.

Theorem published_computes : forall dt th N h r,
  publishedQ dt th N h r = published menu offer M pairs e (Q2R dt) (Q2R th) N h r.
Proof.
  intros. unfold publishedQ, published, lookahead. rewrite start_link.
  replace (published_test offer M pairs e (Q2R dt) (Q2R th) h r) with (published_testQ dt th h r);
    [reflexivity|].
  apply forallb_same. intros p. apply forallb_same. intros r'.
  rewrite Qleb_Rleb, psafe_link, Q2R_one_minus. reflexivity.
Qed.

Lemma charge_link : forall x x' h r, Q2R (chargeQ x x' h r) = charge M e x x' h r.
Proof.
  intros. unfold chargeQ, charge. rewrite Qltb_Rltb, Q2R_0', like_link. unfold Rltb.
  destruct (Rlt_dec 0 (like M x h)) as [Hl|Hl]; [|apply Q2R_0'].
  rewrite Q2R_div, Q2R_minus, Q2R_sum, excess_link, like_link.
  - unfold ucharge. f_equal. f_equal. apply sumf_ext; intros y _. apply excess_link.
  - intro Z. apply Qeq_eqR in Z. rewrite Q2R_0', like_link in Z. lra.
Qed.
Lemma spent_link : forall x x' h, Q2R (spentQ x x' h) = spent M e x x' h.
Proof.
  induction h as [|[r [y|]] h IH]; cbn [spentQ spent]; [apply Q2R_0' | | exact IH].
  rewrite Q2R_red, Q2R_plus, IH, charge_link. reflexivity.
Qed.

Theorem compensator_computes : forall d h r,
  compensatorQ d h r = compensator M e pairs (Q2R d) h r.
Proof.
  intros. unfold compensatorQ, compensator, gate.
  replace (affordable M e pairs (Q2R d) h r) with (affordableQ d h r); [reflexivity|].
  apply forallb_same. intros p.
  rewrite Qltb_Rltb, Qleb_Rleb, Q2R_0', Q2R_plus, like_link, spent_link, charge_link. reflexivity.
Qed.

(* ---------- what is computed is private ---------- *)
Hypothesis He : 1 <= eQ.

Lemma e_ge_1 : (1 <= e)%R. Proof. rewrite <- Q2R_1'. apply Qle_Rle. exact He. Qed.

Theorem computed_repaired_private : forall dt th N d x x', 0 <= dt <= 1 -> 0 <= th <= 1 ->
  (1 - Q2R d <= (1 - Q2R dt) * (1 - Q2R th) ^ (N - 1))%R ->
  In (x, x') pairs -> private menu M (repairedQ dt th N) e (Q2R d) x x'.
Proof.
  intros dt th N d x x' [Hd0 Hd1] [Ht0 Ht1] Hd Hp.
  apply Qle_Rle in Hd0, Hd1, Ht0, Ht1. rewrite ?Q2R_0', ?Q2R_1' in *.
  apply (cautious_private offer menu_offer M pairs e (Q2R dt) (Q2R th)); auto using e_ge_1.
  - rewrite start_link. apply start_test_spec.
  - intros h r Hc. apply repaired_test_spec. rewrite <- Hc. apply forallb_same. intros p.
    rewrite Qleb_Rleb, pgood_link, Q2R_one_minus. reflexivity.
Qed.

Theorem computed_compensator_private : forall d x x', 0 <= d -> In (x, x') pairs ->
  private menu M (compensatorQ d) e (Q2R d) x x'.
Proof.
  intros d x x' Hd Hp. apply Qle_Rle in Hd. rewrite Q2R_0' in Hd.
  apply spending_private; [apply e_ge_1 | assumption |].
  intros h r _ _ Hr Hl.
  rewrite compensator_computes in Hr. unfold compensator in Hr.
  rewrite (proj2 (gate_answer _ _ _)), affordable_spec in Hr.
  auto.
Qed.
End Computed.
