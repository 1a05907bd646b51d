(* Something that happens at some time of a play, and how likely it is.

   In words: let V be a number per transcript (in masses of x), never negative, that on average does not
   grow with a request, and that is at least the mass of x where something bad is seen.  Then, whatever
   the adversary does and wherever it stops, something bad is seen at some time with probability at most
   V at the start (`ville`: Ville's inequality on finite trees).

   `seldom_private`: if the realised loss exceeds eps at some time with probability at most d, the filter
   is (eps, d)-DP. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model.
Import ListNotations.
Open Scope R_scope.

(* at this transcript or at an earlier one *)
Fixpoint ever {Req Out : Type} (bad : hist Req Out -> bool) (h : hist Req Out) : bool :=
  bad h || match h with [] => false | _ :: k => ever bad k end.

Section Ever.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.

(* what the adversary may see: transcripts after which the game goes on, and last ones *)
Definition seen (h : hist Req Out) : Prop :=
  match h with
  | [] => True
  | (r, o) :: k => reached menu outs F k /\ In r (menu k) /\ In o (replies outs F k r)
  end.

Lemma reached_seen : forall h, reached menu outs F h -> seen h.
Proof. intros [|[r o] h]; simpl; tauto. Qed.

Section Pair.
Variable x : Db.

(* P_x(something bad is seen at some time) <= d, for every adversary and horizon *)
Definition seldom (bad : hist Req Out -> bool) (d : R) : Prop :=
  forall (A : adversary menu) n, prob A F M x n (ever bad) <= d.

Section Ville.
Variable bad : hist Req Out -> bool.
Variable V : hist Req Out -> R.
Hypothesis V_nonneg : forall h, seen h -> 0 <= V h.
Hypothesis V_bad : forall h, seen h -> bad h = true -> like M x h <= V h.
Hypothesis V_step : forall h r, reached menu outs F h -> In r (menu h) ->
  sumf (replies outs F h r) (fun o => V ((r, o) :: h)) <= V h.

(* once something bad was seen, all of the mass counts *)
Local Notation worth h := (if ever bad h then like M x h else V h).

Lemma worth_step : forall h r, reached menu outs F h -> In r (menu h) ->
  sumf (replies outs F h r) (fun o => worth ((r, o) :: h)) <= worth h.
Proof.
  intros h r Hr Hin. destruct (ever bad h) eqn:Eh.
  - rewrite <- (like_replies outs F M x h r). apply sumf_le; intros o _. cbn [ever].
    rewrite Eh, orb_true_r. lra.
  - eapply Rle_trans; [|apply (V_step h r Hr Hin)]. apply sumf_le; intros o Ho. cbn [ever].
    rewrite Eh, orb_false_r. destruct (bad ((r, o) :: h)) eqn:Eb; [|lra].
    apply V_bad; [simpl; auto | assumption].
Qed.

Lemma worth_end : forall h, seen h -> like M x h * ind (ever bad h) <= worth h.
Proof.
  intros h Hs. destruct (ever bad h); simpl; [lra|]. specialize (V_nonneg h Hs). lra.
Qed.

Theorem ville : forall d, V [] <= d -> 0 <= d -> bad [] = false -> seldom bad d.
Proof.
  intros d H0 Hd Hb A n. unfold prob.
  assert (G : forall n h, reached menu outs F h ->
    leaves outs A F n h (fun k => like M x k * ind (ever bad k)) <= worth h).
  { clear n. induction n as [|n IH]; intros h Hr; cbn [leaves]; [apply worth_end, reached_seen; exact Hr|].
    apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | apply worth_end, reached_seen; exact Hr |].
    intros r Hin. eapply Rle_trans; [|apply (worth_step h r Hr Hin)].
    apply sumf_le; intros o Ho. destruct (goes_on (F h r)) eqn:Eg.
    - apply IH. simpl; auto.
    - apply worth_end. simpl; auto. }
  specialize (G n [] I). rewrite leaves_law in G. simpl in G. rewrite Hb in G. simpl in G. lra.
Qed.
End Ville.

Lemma prob_le : forall (A : adversary menu) n (S T : hist Req Out -> bool),
  (forall h, S h = true -> T h = true) -> prob A F M x n S <= prob A F M x n T.
Proof.
  intros A n S T H. unfold prob.
  assert (E : forall U : hist Req Out -> bool, law A F M x n [] (fun h => ind (U h)) =
    leaves outs A F n [] (fun h => like M x h * ind (U h))) by (intros; rewrite leaves_law; simpl; ring).
  rewrite !E. apply leaves_le; intros h. apply Rmult_le_compat_l; [apply like_nonneg|].
  specialize (H h). destruct (S h), (T h); simpl; try lra; discriminate (H eq_refl).
Qed.

Theorem seldom_private : forall e d x', 0 <= e -> seldom (exceed M e x x') d -> private menu M F e d x x'.
Proof.
  intros e d x' He H A n. apply private_iff_hockey.
  eapply Rle_trans; [apply hockey_le_tail; assumption|]. eapply Rle_trans; [|apply (H A n)].
  apply prob_le. intros [|a h] E; cbn [ever]; rewrite E; reflexivity.
Qed.
End Pair.
End Ever.

Arguments seen {Req Out} menu outs F h.
