(* The third index: countable outputs, the charges of the runtime filter, the normal law, maximality.

   Each entry is as in Theorems.v.  Names that begin with c are those of the finite model for laws with
   countably many outputs (Countable.v). *)
From Coq Require Import Reals ZArith List Bool.
From Coquelicot Require Import Rbar Hierarchy RInt_gen.
From Filterproof Require Import Sums Model LookAhead Published Compensator Capped Causal Kappa Potential
  Family Countable CountableFilters Runtime Noise Laws Gauss GaussRounds GaussDP Residues Maximal Pairs.
Import ListNotations.
Open Scope R_scope.

(* ---------- countable outputs ---------- *)
Section CountableIndex.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
  {out : hist Req Out -> Req -> nat -> Out} (M : cmechanism Db out) (pairs : list (Db * Db))
  (F : filter Req Out).

(** paper: -
    words: countable outputs: budgets that pay for every turn in expectation make a filter private, any adversary and horizon *)
Theorem countable_budget_private : forall e d x x' U, 1 <= e ->
  cbudget_ok (menu := menu) F M e x x' d U -> cprivate menu M F e d x x'.
Proof. intros e d x x' U He; exact (Countable.cbudget_sound menu M F e d x x' He U). Qed.

(** paper: -
    words: countable outputs: every filter, with any of the four answers, whose rounds stay within delta in charges is private *)
Theorem countable_spending_private : forall e d x x', 1 <= e -> 0 <= d ->
  cspends_within menu M F e d x x' -> cprivate menu M F e d x x'.
Proof. intros e d x x' He; exact (Countable.cspending_private menu M F e d x x' He). Qed.

(** paper: -
    words: countable outputs: the compensator is (eps, d)-DP, halting or refusing *)
Theorem countable_compensator_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (ccompensator M e pairs d) e d x x' /\
  cprivate menu M (crefusing_compensator M e pairs d) e d x x'.
Proof. intros; split; [apply CountableFilters.ccompensator_private | apply CountableFilters.crefusing_compensator_private]; assumption. Qed.

(** paper: -
    words: countable outputs: the recycling filter is (eps, d)-DP *)
Theorem countable_recycling_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (crecycling M e pairs d) e d x x'.
Proof. intros e; exact (CountableFilters.crecycling_private menu M e pairs). Qed.

(** paper: -
    words: countable outputs: the capped compensator is (eps, d)-DP *)
Theorem countable_capped_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu M (ccapped M e pairs d) e d x x'.
Proof. intros e; exact (CountableFilters.ccapped_private menu M e pairs). Qed.

(* ---------- what the runtime relies on ---------- *)
(** paper: -
    words: below eps a round is charged its profile at the remaining budget, above eps the reversed profile *)
Theorem charge_by_profile : forall eps h r x x' l, at_loss M h x x' l ->
  (l <= eps -> ccharge M (exp eps) x x' h r = profile M h r x x' (exp (eps - l))) /\
  (eps <= l -> ccharge M (exp eps) x x' h r = exp (eps - l) * profile M h r x' x (exp (l - eps))).
Proof. intros eps h r x x' l H; rewrite (Runtime.charge_at_loss M eps h r x x' l H); split; [apply cost_below | apply cost_above]. Qed.

(** paper: -
    words: as a function of the realised loss the charge rises up to eps and falls from there *)
Theorem charge_one_maximum : forall eps h r x x' l l',
  (l <= l' <= eps -> cost M eps h r x x' l <= cost M eps h r x x' l') /\
  (eps <= l <= l' -> cost M eps h r x x' l' <= cost M eps h r x x' l).
Proof. split; [apply Runtime.cost_rises | apply Runtime.cost_falls]. Qed.

(** paper: -
    words: a round whose realised loss is not known is charged at most the total variation distance *)
Theorem charge_of_unknown_loss : forall eps h r x x' l, at_loss M h x x' l ->
  ccharge M (exp eps) x x' h r <= tv M h r x x'.
Proof. intros eps h r x x' l H; rewrite (Runtime.charge_at_loss M eps h r x x' l H); apply cost_le_tv. Qed.

(** paper: -
    words: what is asked from an interval of losses and one around eps is never below the charge *)
Theorem quote_bounds : forall eps elo ehi, elo <= eps <= ehi -> forall P P' x x' h r lo hi,
  0 < clike M x h -> encloses M x x' h lo hi ->
  bounds_profile M P x x' h r -> bounds_profile M P' x' x h r ->
  ccharge M (exp eps) x x' h r <= quote P P' elo ehi lo hi.
Proof. exact (Runtime.quote_bounds M). Qed.

(** paper: -
    words: a filter that keeps such books and runs a round only within delta is (eps, delta)-DP on countable outputs *)
Theorem runtime_private : forall eps elo ehi d, elo <= eps <= ehi ->
  forall x x' P P' least most booked lo hi, 0 <= eps -> 0 <= d ->
  described M x x' P P' least most -> kept_books elo ehi P P' least most booked lo hi ->
  (forall h r, runs (F h r) = true -> 0 < clike M x h ->
     booked h + quote (P h r) (P' h r) elo ehi (lo h) (hi h) <= d) ->
  cprivate menu M F (exp eps) d x x'.
Proof. exact (Runtime.runtime_private menu M F). Qed.
End CountableIndex.

(** paper: -
    words: discrete Gaussian and geometric rounds, adaptively chosen: the compensators are (eps, d)-DP *)
Theorem integer_noise_private : forall {Db Req : Type} (query : Db -> hist Req Z -> Req -> Z)
  (kind : hist Req Z -> Req -> noise) menu pairs e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  cprivate menu (integer_noise query kind) (ccompensator (integer_noise query kind) e pairs d) e d x x' /\
  cprivate menu (integer_noise query kind) (crefusing_compensator (integer_noise query kind) e pairs d) e d x x' /\
  cprivate menu (integer_noise query kind) (crecycling (integer_noise query kind) e pairs d) e d x x' /\
  cprivate menu (integer_noise query kind) (ccapped (integer_noise query kind) e pairs d) e d x x'.
Proof. intros Db Req; exact Noise.integer_noise_private. Qed.

(* ---------- the normal law ---------- *)
(** paper: Section V, Gaussian mechanisms
    words: the normal density integrates to 1; Phi rises strictly from 0 to 1 and Q is its quantile *)
Theorem normal_distribution : (forall s m, 0 < s ->
    is_RInt_gen (dens s m) (Rbar_locally m_infty) (Rbar_locally p_infty) 1) /\
  (forall a b, a < b -> Phi a < Phi b) /\ filterlim Phi (Rbar_locally m_infty) (locally 0) /\
  filterlim Phi (Rbar_locally p_infty) (locally 1) /\ (forall p, 0 < p < 1 -> Phi (Q p) = p).
Proof. exact (conj Gauss.whole_line (conj Phi_increasing (conj Phi_low (conj Phi_high Phi_Q)))). Qed.

(** paper: Algorithm 1
    words: on finite laws the check by density and probability is the published one, and so is the filter *)
Theorem algorithm1_finite : forall {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) menu offer pairs e dt th N h r,
  (better_check offer (finite_laws M) pairs e dt th h r <-> check_published offer M pairs e dt th h r) /\
  algorithm1 menu offer (finite_laws M) pairs e dt th N h r = published menu offer M pairs e dt th N h r.
Proof. intros; split; [apply Laws.better_check_finite | apply Laws.algorithm1_finite]. Qed.

Section NormalIndex.
Context {Db Req : Type} (mean : Db -> hist Req R -> Req -> R) (s : R) (Hs : 0 < s).
Let by_one (x x' : Db) : Prop :=
  forall h r, (mean x h r - mean x' h r) * (mean x h r - mean x' h r) = 1.

(** paper: Appendix, the law of the loss
    words: the loss of a Gaussian round is at most c with probability Phi(sigma c - 1/(2 sigma)), an integral of the density *)
Theorem normal_loss_law : forall x x', by_one x x' -> forall h r c S,
  (forall y, S y = true <-> loss_of mean s x x' h r y <= c) ->
  RInt_gen (fun y => dens s (mean x h r) y * ind (S y)) (Rbar_locally m_infty) (Rbar_locally p_infty)
  = Phi (s * c - / (2 * s)).
Proof. intros x x' H h r c; exact (proj1 (GaussRounds.loss_law mean s Hs x x' H h r c)). Qed.

(** paper: Proposition 1
    words: with normal laws the check of Algorithm 1 is a threshold kappa on the realised losses *)
Theorem kappa_is_the_check : forall offer pairs, (forall x x', In (x, x') pairs -> by_one x x') ->
  forall eps dt th, 0 < dt < 1 -> 0 < th < 1 -> forall h r, offer h r <> [] ->
  (better_check offer (normal_laws mean s) pairs (exp eps) dt th h r <->
   forall x x', In (x, x') pairs ->
     loss_at mean s x x' h <= eps - / s ^ 2 - / s * (Q (1 - dt) + Q (1 - th))).
Proof. exact (GaussRounds.kappa_is_the_check mean s Hs). Qed.

(** paper: Proposition 1
    words: Algorithm 1 goes on exactly if the first test holds, rounds are left and no realised loss exceeds kappa *)
Theorem algorithm1_normal : forall menu offer pairs, (forall x x', In (x, x') pairs -> by_one x x') ->
  forall eps dt th, 0 < dt < 1 -> 0 < th < 1 -> forall N h r, menu [] <> [] -> pairs <> [] -> offer h r <> [] ->
  (algorithm1 menu offer (normal_laws mean s) pairs (exp eps) dt th N h r = Continue <->
   (/ (2 * s ^ 2) + / s * Q (1 - dt) <= eps /\ (S (length h) < N)%nat /\
    forall x x', In (x, x') pairs ->
      loss_at mean s x x' h <= eps - / s ^ 2 - / s * (Q (1 - dt) + Q (1 - th)))).
Proof. exact (GaussRounds.algorithm1_normal mean s Hs). Qed.
End NormalIndex.

(** paper: -
    words: Gaussian trade-off curves compose: laws below the curve of v, then rounds below that of u, stay below that of u + v *)
Theorem gauss_composes : forall T v eps, composes gauss_curve T /\ (0 < v -> gauss_curve v 1 (exp eps) =
  Phi (sqrt v / 2 - eps / sqrt v) - exp eps * Phi (- (sqrt v / 2) - eps / sqrt v)).
Proof. intros T v eps; exact (conj (GaussDP.gauss_composes T) (GaussDP.gauss_curve_delta v eps)). Qed.

(** paper: -
    words: the Gaussian-DP filter, which adds up the mu_i^2 of its rounds, is (eps, d)-DP *)
Theorem gdp_private : forall {Db Req Out : Type} menu {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) pairs F mu2 e d m, 1 <= e -> 0 <= m -> gauss_curve m 1 e <= d ->
  respects menu outs F (family_fits M pairs gauss_curve mu2 m) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof. intros Db Req Out; exact GaussDP.gdp_private. Qed.

(** paper: -
    words: a filter that keeps after every output a residue, a mu^2 such that the round and a rest of that curve stay below what was left, is (eps, d)-DP *)
Theorem gdp_residue_private : forall {Db Req Out : Type} menu {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) pairs F left e d, 1 <= e -> gauss_curve (left []) 1 e <= d ->
  (forall h, 0 <= left h) -> (forall h r, F h r = Refuse -> left ((r, None) :: h) = left h) ->
  respects menu outs F (gdp_residue_fits M pairs left) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof. intros Db Req Out; exact Residues.gdp_residue_private. Qed.

(** paper: -
    words: with Gaussian curves, taking the round's own mu^2 off leaves a residue, so the filter that keeps residues runs wherever the one that adds up does *)
Theorem gdp_residue_contains : forall T m v (l : list T) P Q, 0 <= v -> v <= m ->
  (forall y, 0 <= P y) -> (forall y, 0 <= Q y) -> sumf l P = 1 -> sumf l Q = 1 ->
  below gauss_curve v l P Q -> residue_after gauss_curve m (fun _ => m - v) l P Q.
Proof. intros T; exact (Residues.composes_residue gauss_curve T (GaussDP.gauss_composes T)). Qed.

(* ---------- maximality ---------- *)
Section MaximalIndex.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req) (outs : hist Req Out -> Req -> list Out)
  (Db_eq : forall a b : Db, {a = b} + {a <> b}) (Req_eq : forall a b : Req, {a = b} + {a <> b})
  (Out_eq : forall a b : Out, {a = b} + {a <> b})
  (menu_nodup : forall h, NoDup (menu h)) (outs_nodup : forall h r, NoDup (outs h r))
  (some_request : hist Req Out -> Req) (some_request_in : forall h, In (some_request h) (menu h))
  (shown blank : Out) (shown_blank : shown <> blank)
  (shown_in : forall h r, In shown (outs h r)) (blank_in : forall h r, In blank (outs h r)).

(** paper: -
    words: one ordered pair: a causal private filter that goes on wherever the capped test allows runs no other round *)
Theorem capped_maximal : forall e d, 1 <= e -> 0 <= d -> forall x x' : Db, x <> x' ->
  forall F : mechanism Db outs -> filter Req Out, causal F ->
  (forall M, private menu M (F M) e d x x') ->
  (forall M h r, reached menu outs (F M) h -> In r (menu h) ->
     capped_allows M e [(x, x')] d h r = true -> F M h r = Continue) ->
  forall M h r, reached menu outs (F M) h -> In r (menu h) -> runs (F M h r) = true ->
  capped_allows M e [(x, x')] d h r = true.
Proof. intros e d He Hd x x' Hx F HF; eapply Maximal.capped_maximal; eassumption. Qed.

(** paper: -
    words: one ordered pair: where the halting capped compensator halts, no causal private filter that keeps up with it runs *)
Theorem capped_halting_maximal : forall e d, 1 <= e -> 0 <= d -> forall x x' : Db, x <> x' ->
  forall F : mechanism Db outs -> filter Req Out, causal F ->
  (forall M, private menu M (F M) e d x x') ->
  (forall M h r, reached menu outs (capped M e [(x, x')] d) h -> In r (menu h) ->
     capped M e [(x, x')] d h r = Continue -> F M h r = Continue) ->
  forall M h r, reached menu outs (capped M e [(x, x')] d) h -> In r (menu h) ->
  runs (F M h r) = true -> capped M e [(x, x')] d h r = Continue.
Proof. intros e d He Hd x x' Hx F HF; eapply Maximal.capped_halting_maximal; eassumption. Qed.
End MaximalIndex.

(** paper: -
    words: the capped compensator is itself causal, halting or refusing, and private when it refuses *)
Theorem capped_causal : forall {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out} e d (x x' : Db),
  causal (fun M : mechanism Db outs => capped M e [(x, x')] d) /\
  causal (refusing_capped (outs := outs) e d x x') /\
  forall menu M, 1 <= e -> 0 <= d -> private menu M (refusing_capped (outs := outs) e d x x' M) e d x x'.
Proof. intros Db Req Out outs e d x x'; split; [apply Maximal.capped_causal | split; [apply Maximal.capped_causal | apply Maximal.refusing_capped_private]]. Qed.

(** paper: -
    words: refusing instead of halting runs more: the halting one is maximal only where it gets to *)
Theorem refusing_outruns_halting : forall e d, 1 <= e -> 0 <= d < 1 ->
  capped offering e [(true, false)] d [] true = Halt /\
  ~ reached two_menu two_outs (capped offering e [(true, false)] d) [(true, None)] /\
  reached two_menu two_outs (refusing_capped e d true false offering) [(true, None)] /\
  refusing_capped e d true false offering [(true, None)] false = Continue.
Proof. exact Maximal.refusing_outruns_halting. Qed.

(** paper: -
    words: both directions of a pair at eps = 0: a causal private filter runs all that the capped one runs, and more *)
Theorem pairs_not_maximal : exists F : mechanism bool p_outs -> filter unit bool,
  causal F /\
  (forall M h r, capped M 1 both (5/8) h r = Continue -> F M h r = Continue) /\
  (forall M x, private p_menu M (F M) 1 (5/8) x (negb x)) /\
  exists M h r, reached p_menu p_outs (capped M 1 both (5/8)) h /\ capped M 1 both (5/8) h r = Halt /\
    runs (F M h r) = true.
Proof. exact Pairs.pairs_not_maximal. Qed.
