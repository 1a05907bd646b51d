(* Algorithm 1 over any kind of law: finite, or with a density.

   In words: what the check of Algorithm 1 (`eq: better check`) asks of a family of laws is a density
   (or mass function), for the realised losses, and the probability of an event.  `better_check` is
   the check in these terms, with its quantifiers as printed: for each pair and each next request on
   its own, the output is safe with probability at least 1 - theta.  On finite laws it is the check
   of Published.v, and the filter built on it is the published filter, answer by answer
   (`better_check_finite`, `algorithm1_finite`).  GaussRounds.v takes normal laws. *)
From Coq Require Import Rbase Rfunctions List Bool Lra.
From Filterproof Require Import Sums Model LookAhead Repaired Published.
Import ListNotations.
Open Scope R_scope.

Record laws (Db Req Out : Type) := {
  density : Db -> hist Req Out -> Req -> Out -> R;
  measure : Db -> hist Req Out -> Req -> (Out -> bool) -> R }.
Arguments density {Db Req Out} _ _ _ _ _.
Arguments measure {Db Req Out} _ _ _ _ _.

Section Check.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable offer : hist Req Out -> Req -> list Req.
Variable L : laws Db Req Out.
Variable pairs : list (Db * Db).
Variables e dt th : R.

Fixpoint weight_at (x : Db) (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (r, o) :: k => weight_at x k * match o with Some y => density L x k r y | None => 1 end
  end.
(* "the realised loss of the pair exceeds eps" *)
Definition over (x x' : Db) (h : hist Req Out) : bool := Rltb (e * weight_at x' h) (weight_at x h).

(* P_x( L_{i+1} > eps - l^(i) | r^{i+1}, y^i ) *)
Definition overshoot (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  measure L x h r (fun y => over x x' ((r, Some y) :: h)).
Definition harmless (x x' : Db) (h : hist Req Out) (r : Req) : bool := Rleb (overshoot x x' h r) dt.

(* P_x( r' is harmless after Y_i | r^i, y^{i-1} ) *)
Definition pharmless (x x' : Db) (h : hist Req Out) (r r' : Req) : R :=
  measure L x h r (fun y => harmless x x' ((r, Some y) :: h) r').

Definition better_check (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> forall r', In r' (offer h r) -> 1 - th <= pharmless x x' h r r'.
Definition better_test (h : hist Req Out) (r : Req) : bool :=
  forallb (fun p =>
    forallb (fun r' => Rleb (1 - th) (pharmless (fst p) (snd p) h r r')) (offer h r)) pairs.
Definition first_test : bool :=
  forallb (fun p => forallb (harmless (fst p) (snd p) []) (menu [])) pairs.
Definition algorithm1 (N : nat) : filter Req Out := lookahead first_test better_test N.

Lemma better_test_spec : forall h r, better_test h r = true <-> better_check h r.
Proof.
  intros h r. unfold better_test, better_check. rewrite forallb_forall. split.
  - intros H x x' Hp r' Hr'. specialize (H (x, x') Hp). rewrite forallb_forall in H.
    apply Rleb_true. apply (H r' Hr').
  - intros H [x x'] Hp. apply forallb_forall. intros r' Hr'. apply Rleb_true. apply H; assumption.
Qed.

Lemma first_test_spec : first_test = true <->
  forall x x', In (x, x') pairs -> forall r, In r (menu []) -> overshoot x x' [] r <= dt.
Proof.
  unfold first_test. rewrite forallb_forall. split.
  - intros H x x' Hp r Hr. specialize (H (x, x') Hp). rewrite forallb_forall in H.
    apply Rleb_true. apply (H r Hr).
  - intros H [x x'] Hp. apply forallb_forall. intros r Hr. apply Rleb_true. apply H; assumption.
Qed.
End Check.

(* ---------- finite laws ---------- *)
Section Finite.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Definition finite_laws : laws Db Req Out := {|
  density := pr M;
  measure := fun x h r S => sumf (outs h r) (fun y => pr M x h r y * ind (S y)) |}.

Lemma weight_finite : forall x h, weight_at finite_laws x h = like M x h.
Proof.
  induction h as [|[r o] h IH]; simpl; [reflexivity|]. rewrite IH. destruct o; reflexivity.
Qed.
Lemma overshoot_finite : forall e x x' h r, overshoot finite_laws e x x' h r = tail M e x x' h r.
Proof.
  intros. apply sumf_ext; intros y _. unfold over, exceed. rewrite !weight_finite. reflexivity.
Qed.
Lemma pharmless_finite : forall e dt x x' h r r',
  pharmless finite_laws e dt x x' h r r' = psafe M e dt x x' h r r'.
Proof.
  intros. apply sumf_ext; intros y _. unfold harmless, safe. rewrite overshoot_finite. reflexivity.
Qed.

Theorem better_check_finite : forall offer pairs e dt th h r,
  better_check offer finite_laws pairs e dt th h r <-> check_published offer M pairs e dt th h r.
Proof.
  intros. unfold better_check, check_published.
  split; intros H x x' Hp r' Hr'; specialize (H x x' Hp r' Hr');
  rewrite pharmless_finite in *; exact H.
Qed.

Theorem algorithm1_finite : forall menu offer pairs e dt th N h r,
  algorithm1 menu offer finite_laws pairs e dt th N h r =
  published menu offer M pairs e dt th N h r.
Proof.
  intros. unfold algorithm1, published, lookahead.
  replace (first_test menu finite_laws pairs e dt) with (start_test menu M pairs e dt).
  - replace (better_test offer finite_laws pairs e dt th h r) with
      (published_test offer M pairs e dt th h r);
      [reflexivity|].
    apply eq_true_iff_eq. rewrite published_test_spec, better_test_spec. symmetry.
    apply better_check_finite.
  - unfold start_test, first_test, good. induction pairs as [|p l IH]; simpl; [reflexivity|].
    rewrite IH. reflexivity.
Qed.
End Finite.
