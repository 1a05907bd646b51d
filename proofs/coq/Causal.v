(* Filters as functions of the mechanisms, and what "sees the past, not the future" means.

   In words: a filter is causal if its answer at a transcript does not change when mechanisms
   that would be asked later are replaced.  The compensator and the recycling filter are causal
   (`compensator_causal`, `recycling_causal`).  The rest is bookkeeping about the path that leads
   to a transcript: which transcripts lie on it, and which request is asked at each. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling.
Import ListNotations.
Open Scope R_scope.

Section Causal.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Local Notation mech := (mechanism Db outs).
Local Notation Hist := (hist Req Out).

Definition agree_at (M M' : mech) (k : Hist) : Prop := forall z r y, pr M z k r y = pr M' z k r y.
Fixpoint agree_below (M M' : mech) (k : Hist) : Prop :=
  match k with [] => True | _ :: j => agree_below M M' j /\ agree_at M M' j end.

Definition causal (F : mech -> filter Req Out) : Prop := forall M M' h r,
  agree_below M M' h -> agree_at M M' h -> F M h r = F M' h r.

Lemma agree_like : forall M M' z k, agree_below M M' k -> like M z k = like M' z k.
Proof.
  induction k as [|[r o] k IH]; simpl; [reflexivity|]. intros [H1 H2].
  rewrite IH by assumption. destruct o; simpl; [rewrite H2|]; reflexivity.
Qed.

Variable e : R.
Variables x x' : Db.

Lemma agree_excess : forall M M' k, agree_below M M' k -> excess M e x x' k = excess M' e x x' k.
Proof. intros M M' k H. unfold excess. rewrite !(agree_like M M') by assumption. reflexivity. Qed.

Lemma agree_ucharge : forall M M' k r, agree_below M M' k -> agree_at M M' k ->
  ucharge M e x x' k r = ucharge M' e x x' k r.
Proof.
  intros M M' k r H1 H2. unfold ucharge. rewrite (agree_excess M M' k H1). f_equal.
  apply sumf_ext; intros y _. apply agree_excess. simpl; auto.
Qed.

Lemma agree_charge : forall M M' k r, agree_below M M' k -> agree_at M M' k ->
  charge M e x x' k r = charge M' e x x' k r.
Proof.
  intros M M' k r H1 H2. unfold charge.
  rewrite (agree_like M M'), (agree_ucharge M M') by assumption. reflexivity.
Qed.

Lemma agree_spent : forall M M' k, agree_below M M' k -> spent M e x x' k = spent M' e x x' k.
Proof.
  induction k as [|[r [y|]] k IH]; simpl; [reflexivity | |]; intros [H1 H2];
  rewrite IH by assumption; [rewrite (agree_charge M M') by assumption|]; reflexivity.
Qed.

Lemma agree_recycled : forall d M M' k, agree_below M M' k ->
  recycled M e x x' d k = recycled M' e x x' d k.
Proof.
  induction k as [|[r [y|]] k IH]; [reflexivity | |]; intros H; pose proof H as [H1 H2];
  cbn [recycled]; [|auto]. unfold alive. rewrite (agree_like M M') by assumption.
  rewrite IH, (agree_charge M M') by assumption.
  replace (palive M x x' k r) with (palive M' x x' k r); [reflexivity|].
  unfold palive, alive. apply sumf_ext; intros c _. rewrite H2.
  rewrite (agree_like M M' x' ((r, Some c) :: k)) by (simpl; auto). reflexivity.
Qed.

Theorem compensator_causal : forall d, causal (fun M => compensator M e [(x, x')] d).
Proof.
  intros d M M' h r H1 H2. unfold compensator, gate, affordable, each_live. simpl.
  rewrite (agree_like M M' x), (agree_spent M M'), (agree_charge M M') by assumption. reflexivity.
Qed.

Theorem recycling_causal : forall d, causal (fun M => recycling M e [(x, x')] d).
Proof.
  intros d M M' h r H1 H2. unfold recycling, gate, recycling_allows, covers, each_live. simpl.
  rewrite (agree_like M M' x), (agree_recycled d M M'), (agree_charge M M') by assumption.
  reflexivity.
Qed.
End Causal.

(* ---------- the path to a transcript ---------- *)
Section Path.
Context {Req Out : Type}.
Variable Req_eq : forall a b : Req, {a = b} + {a <> b}.
Variable Out_eq : forall a b : Out, {a = b} + {a <> b}.
Local Notation Hist := (hist Req Out).

Definition hist_eq : forall a b : Hist, {a = b} + {a <> b}.
Proof. apply list_eq_dec. decide equality. decide equality. Defined.

(* k is an initial part of the transcript l (latest turn first, so: a suffix) *)
Fixpoint on_path (k l : Hist) : bool :=
  if hist_eq k l then true else match l with [] => false | _ :: t => on_path k t end.

Lemma on_path_refl : forall l, on_path l l = true.
Proof. intros [|a l]; cbn [on_path]; destruct (hist_eq _ _); congruence. Qed.

Lemma on_path_len : forall l k, on_path k l = true -> (length k <= length l)%nat.
Proof.
  induction l as [|a l IH]; intros k; cbn [on_path]; destruct (hist_eq _ _) as [->|]; intros H.
  - lia.
  - discriminate.
  - lia.
  - specialize (IH k H). simpl; lia.
Qed.

Lemma on_path_tl : forall l a k, on_path (a :: k) l = true -> on_path k l = true.
Proof.
  induction l as [|b l IH]; intros a k; cbn [on_path].
  - destruct (hist_eq (a :: k) []); discriminate.
  - destruct (hist_eq (a :: k) (b :: l)) as [E|_].
    + inversion E; subst. intros _. destruct (hist_eq _ _); [reflexivity | apply on_path_refl].
    + intros H. destruct (hist_eq k (b :: l)); [reflexivity | eapply IH; eassumption].
Qed.

(* two different continuations of k are not both on a path *)
Lemma on_path_sibling : forall l a b k, on_path (a :: k) l = true -> on_path (b :: k) l = true ->
  a = b.
Proof.
  induction l as [|c l IH]; intros a b k; cbn [on_path].
  - destruct (hist_eq (a :: k) []); discriminate.
  - destruct (hist_eq (a :: k) (c :: l)) as [E|_];
    destruct (hist_eq (b :: k) (c :: l)) as [E'|_]; intros H H'.
    + congruence.
    + inversion E; subst. apply on_path_len in H'. simpl in H'; lia.
    + inversion E'; subst. apply on_path_len in H. simpl in H; lia.
    + eapply IH; eassumption.
Qed.

(* the request made at k on the way to l and then r; off the way, some request on offer *)
Variable some_request : Hist -> Req.
Fixpoint next (r : Req) (l k : Hist) : Req :=
  if hist_eq k l then r
  else match l with [] => some_request k | (r', _) :: t => next r' t k end.

Lemma next_end : forall r l, next r l l = r.
Proof. intros r [|[r' y] l]; cbn [next]; destruct (hist_eq _ _); congruence. Qed.

Lemma next_path : forall l r0 r o k, on_path ((r, o) :: k) l = true -> next r0 l k = r.
Proof.
  induction l as [|[r1 o1] l IH]; intros r0 r o k; cbn [on_path next].
  - destruct (hist_eq ((r, o) :: k) []); discriminate.
  - destruct (hist_eq ((r, o) :: k) ((r1, o1) :: l)) as [E|_]; intros H.
    + inversion E; subst. destruct (hist_eq l ((r1, o1) :: l)) as [E'|_]; [|apply next_end].
      apply (f_equal (@length _)) in E'. simpl in E'; lia.
    + destruct (hist_eq k ((r1, o1) :: l)) as [->|_]; [|eapply IH; eassumption].
      apply on_path_len in H. simpl in H; lia.
Qed.

Variable menu : Hist -> list Req.
Hypothesis some_request_in : forall k, In (some_request k) (menu k).
Lemma next_in : forall outs F l r k, reached menu outs F l -> In r (menu l) ->
  In (next r l k) (menu k).
Proof.
  induction l as [|[r' o] l IH]; intros r k Hr Hin; cbn [next];
  destruct (hist_eq _ _) as [->|]; auto.
  destruct Hr as (H1 & H2 & H3 & H4). apply IH; assumption.
Qed.

Lemma reached_on_path : forall outs F l k, reached menu outs F l -> on_path k l = true ->
  reached menu outs F k.
Proof.
  induction l as [|b l IH]; intros k; cbn [on_path]; destruct (hist_eq _ _) as [->|]; auto.
  - discriminate.
  - intros Hr Hk. destruct b as [r o]. destruct Hr as [Hr _]. auto.
Qed.
End Path.
