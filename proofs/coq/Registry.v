(* The second index: potentials, one theorem for every filter of the registry, and their twins.

   Each entry is as in Theorems.v.  `respects menu outs F test` says that F runs a round only where
   the test passes; whatever else F answers (Halt, Refuse, Last for Continue), and so a filter that
   halts where it cannot decide, is covered.  `pairs` is any list of ordered pairs. *)
From Coq Require Import Reals List Bool.
From Filterproof Require Import Sums Model Identity LookAhead Compensator Recycling Capped Controls
  Potential Remaining Bounds Phases Leak Additive Moments Renyi Restricted Whitehouse Family Twins.
Import ListNotations.
Open Scope R_scope.

Section Index.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
  (offer : hist Req Out -> Req -> list Req) {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) (pairs : list (Db * Db)) (F : filter Req Out).
(* the menu of the next round does not depend on the output just released *)
Let blind : Prop := forall h r y, menu ((r, Some y) :: h) = offer h r.
Let every_pair (G : filter Req Out) (e d : R) : Prop :=
  forall x x', In (x, x') pairs -> private menu M G e d x x'.

(* ---------- from rounds to plays ---------- *)
(** paper: -
    words: a potential that pays for every round makes the filter private, for every adversary and any number of rounds *)
Theorem potential_private : forall e d x x' B, 1 <= e -> potential menu M F e x x' d B ->
  private menu M F e d x x'.
Proof. intros e d x x' B; exact (Potential.potential_private menu M F e x x' d B). Qed.

(** paper: -
    words: every private filter has a potential, the value of backward induction less what is lost already *)
Theorem potential_exists : forall e d x x' (He : 1 <= e),
  (forall a b : Req, {a = b} + {a <> b}) -> (forall h, NoDup (menu h)) ->
  private menu M F e d x x' -> potential menu M F e x x' d (remaining menu M F e x x' He).
Proof. intros e d x x' He Q H; exact (Potential.potential_exists menu M F e x x' He Q H d). Qed.

(** paper: -
    words: what the compensator has left of delta is a potential *)
Theorem compensator_potential : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  potential menu M (compensator M e pairs d) e x x' d (fun h => d - spent M e x x' h).
Proof. intros e d x x'; exact (Remaining.compensator_potential menu M e d pairs x x'). Qed.

(** paper: -
    words: what the recycling filter has left is a potential *)
Theorem recycling_potential : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  potential menu M (recycling M e pairs d) e x x' d (recycled M e x x' d).
Proof. intros e d x x'; exact (Remaining.recycling_potential menu M e d pairs x x'). Qed.

(** paper: -
    words: what the capped compensator has left is a potential *)
Theorem capped_potential : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  potential menu M (capped M e pairs d) e x x' d (capped_budget M e x x' d).
Proof. intros e d x x'; exact (Remaining.capped_potential menu M e d pairs x x'). Qed.

(** paper: -
    words: a filter that runs a round where a test passes, and halts or refuses elsewhere, respects the test *)
Theorem gate_respects : forall (test : hist Req Out -> Req -> Prop) passes,
  (forall h r, passes h r = true -> test h r) ->
  respects menu outs (gate passes) test /\
  respects menu outs (fun h r => if passes h r then Continue else Refuse) test.
Proof. exact (Bounds.gate_respects menu outs). Qed.

(* ---------- mechanism-level filters ---------- *)
(** paper: Section II-A
    words: adding up true declarations (eps_i, delta_i) is (eps, d)-DP *)
Theorem additive_private : forall e d odds del, 1 <= e -> 0 <= d -> declared M pairs odds del ->
  respects menu outs F (additive_fits odds del e d) -> every_pair F e d.
Proof. intros e d o l; exact (Additive.additive_private menu M pairs F o l e d). Qed.

(** paper: Section II-A
    words: the Renyi filter of one order above 1 with Mironov's conversion is (eps, d)-DP *)
Theorem rdp_mironov_private : forall e d moment s, 1 <= e -> 0 <= d -> 0 < s ->
  bounds_moment M pairs moment s ->
  respects menu outs F (fun h r => finite M pairs h r /\ order_fits e d moment 1 s h r) ->
  every_pair F e d.
Proof. intros e d m s He Hd; exact (Renyi.rdp_mironov_private menu M pairs F e d m He Hd s). Qed.

(** paper: -
    words: the same with the conversion of Canonne, Kamath and Steinke *)
Theorem rdp_tight_private : forall e d moment s, 1 <= e -> 0 <= d -> 0 < s ->
  bounds_moment M pairs moment s ->
  respects menu outs F (fun h r => finite M pairs h r /\ order_fits e d moment (tight s) s h r) ->
  every_pair F e d.
Proof. intros e d m s He Hd; exact (Renyi.rdp_tight_private menu M pairs F e d m He Hd s). Qed.

(** paper: -
    words: accepting whenever some order fits its weighted share is (eps, d)-DP for weights that sum to 1 at most *)
Theorem rdp_weighted_private : forall e d moment orders, 1 <= e -> 0 <= d ->
  (forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  sumf orders snd <= 1 -> respects menu outs F (weighted_fits M pairs e d moment orders) ->
  every_pair F e d.
Proof. intros e d m o He Hd; exact (Renyi.rdp_weighted_private menu M pairs F e d m He Hd o). Qed.

(** paper: -
    words: accepting whenever some order fits Mironov's test is (eps, d sum of (a-1)^(a-1)/a^a)-DP *)
Theorem rdp_some_order_private : forall e d moment ss, 1 <= e -> 0 <= d ->
  (forall s, In s ss -> 0 < s /\ bounds_moment M pairs moment s) ->
  respects menu outs F (fun h r => finite M pairs h r /\
    exists s, In s ss /\ order_fits e d moment 1 s h r) ->
  every_pair F e (d * sumf ss (fun s => / tight s)).
Proof. exact (Renyi.rdp_some_order_private menu M pairs F). Qed.

(** paper: -
    words: accepting whenever some order fits Mironov's test is (eps, d)-DP for orders from 2 on with sum of 1/a <= 2 *)
Theorem rdp_sparse_orders_private : forall e d moment ss, 1 <= e -> 0 <= d ->
  (forall s, In s ss -> 1 <= s /\ bounds_moment M pairs moment s) -> sumf ss (fun s => / (1 + s)) <= 2 ->
  respects menu outs F (fun h r => finite M pairs h r /\
    exists s, In s ss /\ order_fits e d moment 1 s h r) -> every_pair F e d.
Proof. exact (Renyi.rdp_sparse_orders_private menu M pairs F). Qed.

(** paper: -
    words: fully adaptive composition of Whitehouse et al., with delta_i and a part d' of d, is (eps, d)-DP *)
Theorem whitehouse_private : forall odds del e d d', 1 <= e -> 0 < d' <= d ->
  (forall x x', In (x, x') pairs -> In (x', x) pairs) -> declared M pairs odds del ->
  respects menu outs F (whitehouse_fits odds del e d d') -> every_pair F e d.
Proof. exact (Whitehouse.whitehouse_private menu M pairs F). Qed.

(** paper: Section II-A
    words: the advanced filter of Rogers et al. (their Theorem 5.1, logarithms of d) is (eps, d)-DP *)
Theorem advanced_rogers_private : forall odds del e d, 1 <= e -> 0 <= d ->
  (forall x x', In (x, x') pairs -> In (x', x) pairs) -> declared M pairs odds del ->
  respects menu outs F (rogers_fits odds del e d) -> every_pair F e d.
Proof. exact (Whitehouse.advanced_rogers_private menu M pairs F). Qed.

(** paper: -
    words: adding up the parameter of a family of profiles that composes is private (Gaussian curves compose: gauss_composes) *)
Theorem family_private : forall G param e d m, composes G Out -> 1 <= e -> 0 <= m -> G m 1 e <= d ->
  respects menu outs F (family_fits M pairs G param m) -> every_pair F e d.
Proof. intros G p e d m Hc; exact (Family.family_private menu M pairs F G p Hc e d m). Qed.

(* ---------- two phases: conditional on the inner filter ---------- *)
Context (inner second : filter Req Out).

(** paper: Section II-B, the hybrid of Pan
    words: any private filter until it halts, then rounds in which no output takes a loss above eps *)
Theorem hybrid_private : forall e d x x', 1 <= e -> In (x, x') pairs -> private menu M inner e d x x' ->
  (forall h r, runs (second h r) = true -> bayesian_allows M e pairs h r = true) ->
  private menu M (in_turn inner second) e d x x'.
Proof. intros e d x x' He; exact (Phases.hybrid_private menu M pairs inner second e He d x x'). Qed.

(** paper: -
    words: any private filter until it halts, then rounds that charge no possible pair anything *)
Theorem hybrid_charge_private : forall e d x x', 1 <= e -> In (x, x') pairs ->
  private menu M inner e d x x' ->
  (forall h r, runs (second h r) = true -> free_round M pairs e h r) ->
  private menu M (in_turn inner second) e d x x'.
Proof. intros e d x x' He; exact (Phases.hybrid_charge_private menu M pairs inner second e He d x x'). Qed.

(** paper: -
    words: the floor: any (eps, a d)-DP filter until it halts, then the compensator on (1 - a) d *)
Theorem floor_private : forall e a d x x', 1 <= e -> 0 <= a <= 1 -> 0 <= d -> In (x, x') pairs ->
  private menu M inner e (a * d) x x' ->
  (forall h r, runs (second h r) = true -> floor_fits M pairs inner e ((1 - a) * d) h r) ->
  private menu M (in_turn inner second) e d x x'.
Proof. intros e a d x x' He; exact (Phases.floor_private menu M pairs inner second e He a d x x'). Qed.

(* ---------- realisation-level filters ---------- *)
(** paper: Section II-B, the Bayesian filter of Pan
    words: it is (eps, 0)-DP *)
Theorem bayesian_private : forall e x x', 1 <= e -> In (x, x') pairs ->
  private menu M (bayesian M e pairs) e 0 x x'.
Proof. intros e; exact (Compensator.bayesian_private menu M e pairs). Qed.

(** paper: Section II-B, the naive rule
    words: the naive rule at delta/N for at most N rounds is (eps, d)-DP *)
Theorem naive_over_n_private : forall e d N, 1 <= e -> 0 <= d ->
  respects menu outs F (naive_fits M e d pairs N) -> every_pair F e d.
Proof. intros e d; exact (Bounds.naive_over_n_private menu M F e d pairs). Qed.

(** paper: -
    words: the compensator with an upper bound of every charge is (eps, d)-DP *)
Theorem compensator_upper_bound_private : forall e d over, 1 <= e -> 0 <= d ->
  (forall x x' h r, In (x, x') pairs -> 0 < like M x h -> charge M e x x' h r <= over x x' h r) ->
  respects menu outs F (over_fits M d pairs over) -> every_pair F e d.
Proof. intros e d; exact (Bounds.compensator_upper_bound_private menu M F e d pairs). Qed.

(* ---------- look-ahead filters ---------- *)
(** paper: Theorem 1, repaired
    words: the repaired rule, tested on the pairs that are still possible, with the sharp constant (blind menus, inert refusals) *)
Theorem repaired_live_private : forall e dt d th N, blind -> 1 <= e -> 0 <= dt <= d ->
  refusal_inert menu M F -> 0 <= th <= 1 -> dt <= 1 -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  respects menu outs F (goes_on_if menu offer M pairs F e dt (theta_kept M pairs e dt (menu []) offer th N)) ->
  every_pair F e d.
Proof. intros e dt d th N Hb He Hdt Hi; exact (Restricted.repaired_live_private menu offer Hb M pairs F e dt d He Hdt Hi th N). Qed.

(** paper: Theorem 1, repaired, with the constraint of Algorithm 1
    words: the same under dt + th (1 - dt) N <= d (blind menus, inert refusals) *)
Theorem repaired_live_private_paper : forall e dt d th N, blind -> 1 <= e -> 0 <= dt <= d ->
  refusal_inert menu M F -> 0 <= th <= 1 -> dt <= 1 -> dt + th * (1 - dt) * INR N <= d ->
  respects menu outs F (goes_on_if menu offer M pairs F e dt (theta_kept M pairs e dt (menu []) offer th N)) ->
  every_pair F e d.
Proof. intros e dt d th N Hb He Hdt Hi; exact (Restricted.repaired_live_private_paper menu offer Hb M pairs F e dt d He Hdt Hi th N). Qed.

(** paper: -
    words: the product rule, with realised bad probabilities in place of theta and N (blind menus, inert refusals) *)
Theorem product_private : forall e dt d, blind -> 1 <= e -> 0 <= dt <= d -> refusal_inert menu M F ->
  respects menu outs F (goes_on_if menu offer M pairs F e dt (product_kept M pairs e dt d (menu []) offer)) ->
  every_pair F e d.
Proof. intros e dt d Hb; exact (Restricted.product_private menu offer Hb M pairs F e dt d). Qed.

(** paper: Discussion, requests restricted by the handler
    words: the repaired rule checked over the requests that were announced, others are refused (blind menus, inert refusals) *)
Theorem restricted_private : forall e dt d first announced th N, blind -> 1 <= e -> 0 <= dt <= d ->
  refusal_inert menu M F -> 0 <= th <= 1 -> dt <= 1 -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  respects menu outs F (announces_if offer M pairs F e dt first announced
    (theta_kept M pairs e dt first announced th N)) -> every_pair F e d.
Proof. intros e dt d f a th N Hb He Hdt Hi; exact (Restricted.restricted_private menu offer Hb M pairs F e dt d He Hdt Hi f a th N). Qed.

(** paper: -
    words: the product rule checked over the requests that were announced, others are refused (blind menus, inert refusals) *)
Theorem restricted_product_private : forall e dt d first announced, blind -> 1 <= e -> 0 <= dt <= d ->
  refusal_inert menu M F ->
  respects menu outs F (announces_if offer M pairs F e dt first announced
    (product_kept M pairs e dt d first announced)) -> every_pair F e d.
Proof. intros e dt d f a Hb He Hdt Hi; exact (Restricted.restricted_product_private menu offer Hb M pairs F e dt d He Hdt Hi f a). Qed.
End Index.

(* ---------- twins ---------- *)
(** paper: -
    words: a potential that a refusal may raise pays for a filter that is not private *)
Theorem refund_refuted : forall e, 1 <= e ->
  (refunded [] <= 1/3 /\ never_negative er_menu erasure refund true refunded /\
   pays_rounds er_menu erasure refund e true false refunded) /\
  ~ private er_menu erasure refund e (1/3) true false.
Proof. exact Twins.refund_refuted. Qed.

(** paper: -
    words: comparing each delta_i with d alone is not private, though what is declared is true *)
Theorem per_round_delta_refuted : forall e, 1 <= e ->
  declared erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h) /\
  ~ private er_menu erasure (per_round_delta (fun _ _ => 1) (fun h _ => er_p h) e (1/3)) e (1/3) true false.
Proof. exact Additive.per_round_delta_refuted. Qed.

(** paper: -
    words: a second phase that gets all of d again is not private, though the inner filter is *)
Theorem full_floor_refuted : forall e, 1 <= e ->
  (forall x x', In (x, x') both -> private er_menu erasure one_round e (1/3) x x') /\
  (forall h r, runs (after_blank h r) = true -> floor_fits erasure both one_round e (1/3) h r) /\
  ~ private er_menu erasure (in_turn one_round after_blank) e (1/3) true false.
Proof. exact Twins.full_floor_refuted. Qed.

(** paper: -
    words: charging half of what a round costs is not private *)
Theorem lower_bound_refuted : forall e, 1 <= e ->
  respects er_menu er_outs two_rounds (over_fits erasure (1/3) both (half_charge e)) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof. exact Twins.lower_bound_refuted. Qed.

(** paper: Section II-B, the naive rule
    words: the naive rule at delta/N is not private if the rounds are not counted *)
Theorem uncounted_rounds_refuted : forall e, 1 <= e ->
  respects er_menu er_outs two_rounds (fun h r => forall x x', In (x, x') both ->
    0 < like erasure x h -> tail erasure e x x' h r * INR 1 <= 1/3) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof. exact Twins.uncounted_rounds_refuted. Qed.

(** paper: -
    words: the floor in the other order, a round for nothing and then one the additive filter admits, is not private *)
Theorem compensator_first_refuted : forall e, 2 <= e < 4 ->
  affordable rr e both 0 [] tt = true /\ declared rr both (fun _ _ => 2) (fun _ _ => 0) /\
  additive_fits (fun _ _ => 2) (fun _ _ => 0) e 0 ([] : hist unit bool) tt /\
  ~ private b_menu rr answers_twice e 0 true false.
Proof. exact Twins.compensator_first_refuted. Qed.
