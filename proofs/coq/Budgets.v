(* The fourth index: budgets per pair, per part and per session, the naive rule without N, tilted budgets, both
   directions of a pair together, and odometers.

   Each entry is as in Theorems.v and Registry.v; `respects`, `pairs` and F are those of Registry.v. *)
From Coq Require Import Reals List Bool.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential Bounds
  Leak Additive Moments Renyi Twins Causal Capped Ever Parts NaiveProduct Odometers OdometersRenyi
  Concentrated Tilted TiltedOrders JointCaps JointMaximal JointExact Stranded StrandedGame Sessions.
Import ListNotations.
Open Scope R_scope.

Section Index.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
  {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) (pairs : list (Db * Db)) (F : filter Req Out).
Let every_pair (e d : R) : Prop :=
  forall x x', In (x, x') pairs -> private menu M F e d x x'.

(* ---------- a budget per ordered pair, a ledger per part ---------- *)
(** paper: -
    words: a budget (eps_p, delta_p) and declarations per ordered pair, added up pair by pair, keep each pair's promise *)
Theorem additive_pairs_private : forall odds del e d : Db -> Db -> _,
  (forall x x', In (x, x') pairs ->
     1 <= e x x' /\ 0 <= d x x' /\ declared M [(x, x')] (odds x x') (del x x')) ->
  respects menu outs F
    (for_pairs pairs (fun x x' => additive_fits (odds x x') (del x x') (e x x') (d x x'))) ->
  forall x x', In (x, x') pairs -> private menu M F (e x x') (d x x') x x'.
Proof. exact (Parts.additive_pairs_private menu M pairs F). Qed.

(** paper: -
    words: parallel composition: ledgers per part are (eps, d)-DP if each pair differs in one part and rounds say nothing about parts that they do not read *)
Theorem parts_private : forall (Part : Type) reads (differ : Db -> Db -> Part) odds del e d, 1 <= e -> 0 <= d ->
  declared_by_part M pairs reads differ odds del ->
  respects menu outs F (part_fits reads odds del e d) -> every_pair e d.
Proof. intros Part; exact (Parts.parts_private menu M pairs F). Qed.

(** paper: -
    words: sessions, each paid for once by odds and a delta that bounds all its rounds together, however they are interleaved, are (eps, d)-DP if the odds multiply to e^eps at most and the deltas add up to d at most *)
Theorem sessions_private : forall (Session : Type) (same : forall a b : Session, {a = b} + {a <> b})
  session odds charge left e d x x', 1 <= e -> 0 <= d -> (forall s, 0 <= odds s) ->
  still_leaks M same session odds charge x x' left ->
  respects menu outs F (sessions_fit same session odds charge e d) -> private menu M F e d x x'.
Proof. intros S same session odds charge left e d x x'; exact (Sessions.sessions_private menu M F same session odds charge e d x x' left). Qed.

(** paper: -
    words: a ledger that adds up true rho_i of zCDP to rho at most is (eps, d)-DP if e^(s (1+s) rho) <= K(s) d e^(s eps) for some s > 0, K(s) as in the Renyi filter of order 1 + s *)
Theorem zcdp_private : forall rhos e d rho s, 1 <= e -> 0 <= d -> 0 < s -> concentrated M pairs rhos ->
  exp (s * (1 + s) * rho) <= tight s * d * Rpower e s ->
  respects menu outs F (zcdp_fits M pairs rhos rho) -> every_pair e d.
Proof. intros rhos; exact (Concentrated.zcdp_private menu M pairs F rhos). Qed.

(** paper: -
    words: so it is for eps >= rho + 2 sqrt(rho log(1/d)), the conversion of Bun and Steinke *)
Theorem zcdp_usual_private : forall rhos e d rho, 1 <= e -> 0 < d < 1 -> 0 < rho ->
  concentrated M pairs rhos -> rho + 2 * sqrt (rho * ln (/ d)) <= ln e ->
  respects menu outs F (zcdp_fits M pairs rhos rho) -> every_pair e d.
Proof. intros rhos; exact (Concentrated.zcdp_usual_private menu M pairs F rhos). Qed.

(** paper: -
    words: the compensator with a budget (eps_p, delta_p) per ordered pair keeps each pair's promise *)
Theorem individual_private : forall e d,
  (forall x x', In (x, x') pairs -> 1 <= e x x' /\ 0 <= d x x') ->
  respects menu outs F (individual_fits M pairs e d) ->
  forall x x', In (x, x') pairs -> private menu M F (e x x') (d x x') x x'.
Proof. exact (Parts.individual_private menu M pairs F). Qed.

(* ---------- the naive rule without a number of rounds ---------- *)
(** paper: Section II-B, the naive rule
    words: with realised risks b_j and (1 - b_1) ... (1 - b_i) >= 1 - d the loss exceeds eps at some time with probability at most d *)
Theorem naive_product_seldom : forall e d, 1 <= e -> 0 <= d ->
  respects menu outs F (naive_product_fits M e d pairs) ->
  forall x x', In (x, x') pairs -> seldom menu M F x (exceed M e x x') d.
Proof. intros e d; exact (NaiveProduct.naive_product_seldom menu M F e d pairs). Qed.

(** paper: Section II-B, the naive rule
    words: running a round only while (1 - b_1) ... (1 - b_i) >= 1 - d is (eps, d)-DP, without a bound on the rounds *)
Theorem naive_product_private : forall e d, 1 <= e -> 0 <= d ->
  respects menu outs F (naive_product_fits M e d pairs) -> every_pair e d.
Proof. intros e d; exact (NaiveProduct.naive_product_private menu M F e d pairs). Qed.

(** paper: Section II-B, the naive rule
    words: all that the naive rule at delta/N lets run in N rounds, the product lets run *)
Theorem naive_product_wider : forall e d N, 0 <= d <= 1 ->
  respects menu outs F (naive_fits M e d pairs N) ->
  respects menu outs F (naive_product_fits M e d pairs).
Proof. intros e d; exact (NaiveProduct.naive_product_wider menu M F e d pairs). Qed.

(* ---------- tilted budgets ---------- *)
(** paper: Discussion, realisation-level accounting with Renyi composition
    words: the tilted filter is (eps, d)-DP for every tilt: what is left follows the tilt, never below what is lost, b on average *)
Theorem tilted_private : forall e (He : 1 <= e) tilt d, 0 <= d ->
  respects menu outs F (fun h r => tilted_allows M pairs e He tilt d h r = true) -> every_pair e d.
Proof. intros e He tilt; exact (Tilted.tilted_private menu M pairs e He tilt F). Qed.

(** paper: Discussion, realisation-level accounting with Renyi composition
    words: tilted by (P_x/P_x')^(a-1) it runs wherever the Renyi filter of order a runs, tight conversion and all of d *)
Theorem tilted_dominates : forall e d moment s (He : 1 <= e) passes, 0 <= d -> 0 < s ->
  bounds_moment M pairs moment s ->
  (forall h r, passes h r = true -> finite M pairs h r /\ order_fits e d moment (tight s) s h r) ->
  forall h r, reached menu outs (gate passes) h -> runs (gate passes h r) = true ->
  reached menu outs (tilted M pairs e He (order_tilt M s) d) h /\
  runs (tilted M pairs e He (order_tilt M s) d h r) = true.
Proof. exact (TiltedOrders.tilted_dominates menu M pairs). Qed.

(** paper: -
    words: tilted by a weighted sum of moments it runs wherever the filter runs that accepts if some order fits with its weight *)
Theorem purses_dominates : forall e d moment (He : 1 <= e), 0 <= d -> forall passes orders,
  (forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  (forall h r, passes h r = true -> weighted_fits M pairs e d moment orders h r) -> sumf orders snd <= 1 ->
  forall h r, reached menu outs (gate passes) h -> runs (gate passes h r) = true ->
  reached menu outs (tilted M pairs e He (purses_tilt M d moment orders) d) h /\
  runs (tilted M pairs e He (purses_tilt M d moment orders) d h r) = true.
Proof. exact (TiltedOrders.purses_dominates menu M pairs). Qed.

(** paper: -
    words: several purses, none of which grows on average and which together cover what is lost, are (eps, d)-DP *)
Theorem purses_private : forall (Purse : Type) e d (purses : list Purse) b, 1 <= e -> 0 <= d ->
  (forall x x', In (x, x') pairs -> sumf purses (fun i => b i x x' []) <= d) ->
  (forall x x' i h r, In (x, x') pairs -> In i purses -> b i x x' ((r, None) :: h) = b i x x' h) ->
  (forall x x' i h, In (x, x') pairs -> In i purses -> 0 <= b i x x' h) ->
  respects menu outs F (purses_fit M pairs e purses b) -> every_pair e d.
Proof. intros Purse; exact (Tilted.purses_private menu M pairs F). Qed.

(* ---------- both directions of a pair together ---------- *)
(** paper: -
    words: after h, if (x', x) loses H_2 in all then (x, x') loses at most P_x(h) - (P_x'(h) - H_2) e^-eps *)
Theorem joint_cap : forall e, 1 <= e -> forall (A : adversary menu) x x' n h,
  leaves outs A F n h (excess M e x x') <=
  like M x h - (like M x' h - leaves outs A F n h (excess M e x' x)) / e.
Proof. intros e He A; exact (JointCaps.joint_cap M e He A F). Qed.

(** paper: -
    words: the joint-capped filter, whose directions cap each other in any number of passes, is (eps, d)-DP both ways *)
Theorem joint_private : forall e d shrink passes, 1 <= e -> 0 <= d ->
  respects menu outs F (joint_fits M pairs e d shrink passes) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x' /\ private menu M F e d x' x.
Proof. intros e d c n; exact (JointCaps.joint_private menu M pairs e d c n F). Qed.

(* ---------- odometers: P_x(L_t > eps_t for some t) <= d ---------- *)
(** paper: -
    words: odometer-additive: adding up losses that rounds exceed with probability delta_i, infinite once these exceed d, keeps the promise *)
Theorem odometer_additive_keeps : forall odds del d, 0 <= d -> bounds_loss M pairs odds del ->
  keeps menu M pairs F (additive_report odds del d) d.
Proof. exact (Odometers.odometer_additive_keeps menu M pairs F). Qed.

(** paper: -
    words: odometer-realised: a report that no realised loss exceeds keeps the promise *)
Theorem odometer_realised_keeps : forall report d, 0 <= d ->
  covers_losses M pairs (fun _ _ _ => True) report -> keeps menu M pairs F report d.
Proof. exact (Odometers.odometer_realised_keeps menu M pairs F). Qed.

(** paper: -
    words: odometer-forgiving: the same without the pairs that were forgiven an infinite loss at the price f + (1 - f) b' = b keeps the promise *)
Theorem odometer_forgiving_keeps : forall report d, 0 <= d ->
  covers_losses M pairs (fun x x' h => forgiveness M d x x' h <> None) report ->
  keeps menu M pairs F report d.
Proof. exact (Odometers.odometer_forgiving_keeps menu M pairs F). Qed.

(** paper: -
    words: odometer-renyi: (log of the product of the sums + log(1/d))/(a - 1) at one order fixed before keeps the promise *)
Theorem odometer_renyi_keeps : forall moment d s report, 0 <= d -> 0 < s -> bounds_moment M pairs moment s ->
  (forall h e, report h = Some e -> 1 <= e /\ finite_so_far M pairs h = true /\
     (product (moment s) h <= d * Rpower e s \/ product (moment s) h <= 1)) ->
  keeps menu M pairs F report d.
Proof. exact (OdometersRenyi.odometer_renyi_keeps menu M pairs F). Qed.

(** paper: -
    words: odometer-renyi-orders: the best of several orders with shares of d that add up to d at most keeps the promise *)
Theorem odometer_renyi_orders_keeps : forall moment d orders report, 0 <= d ->
  (forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  sumf orders snd <= 1 -> order_report M pairs moment d orders report ->
  keeps menu M pairs F report d.
Proof. exact (OdometersRenyi.odometer_renyi_orders_keeps menu M pairs F). Qed.

(** paper: -
    words: odometer-guesses: a guess whose Renyi filter, at its share of d, has admitted every round keeps the promise *)
Theorem odometer_guesses_keeps : forall moment d (guesses : list (R * (R * R))) report, 0 <= d ->
  (forall e s w, In (e, (s, w)) guesses -> 1 <= e /\ 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s) ->
  sumf guesses (fun g => snd (snd g)) <= 1 ->
  (forall h e, report h = Some e ->
     exists s w, In (e, (s, w)) guesses /\ admitted M pairs moment e (w * d) s h) ->
  keeps menu M pairs F report d.
Proof. exact (OdometersRenyi.odometer_guesses_keeps menu M pairs F). Qed.

(** paper: -
    words: a play in which an odometer that keeps its promise never reports more than eps is (eps, d)-DP *)
Theorem odometer_stops_private : forall report e d, 1 <= e -> keeps menu M pairs F report d ->
  (forall h, seen menu outs F h -> exists e', report h = Some e' /\ e' <= e) -> every_pair e d.
Proof. exact (Odometers.odometer_stops_private menu M pairs F). Qed.
End Index.

(** paper: -
    words: two databases: no causal filter that is private both ways and goes on wherever joint caps with one pass do runs any other round *)
Theorem one_pass_maximal : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
  (outs : hist Req Out -> Req -> list Out) e d, 1 <= e -> 0 <= d <= 1 -> forall x x' : Db,
  (forall a b : Db, {a = b} + {a <> b}) -> (forall a b : Req, {a = b} + {a <> b}) ->
  (forall a b : Out, {a = b} + {a <> b}) -> (forall h, NoDup (menu h)) -> (forall h r, NoDup (outs h r)) ->
  forall some_request, (forall h, In (some_request h) (menu h)) ->
  forall shown other blank, shown <> other /\ shown <> blank /\ other <> blank ->
  (forall h r, In shown (outs h r) /\ In other (outs h r) /\ In blank (outs h r)) -> x <> x' ->
  forall F : mechanism Db outs -> filter Req Out, causal F ->
  (forall M, private menu M (F M) e d x x' /\ private menu M (F M) e d x' x) ->
  (forall M h r, reached menu outs (F M) h -> In r (menu h) ->
     joint_fits M [(x, x')] e d (/ e) 1 h r -> F M h r = Continue) ->
  forall M h r, reached menu outs (F M) h -> In r (menu h) -> runs (F M h r) = true ->
  joint_fits M [(x, x')] e d (/ e) 1 h r.
Proof. intros Db Req Out; exact JointExact.one_pass_maximal. Qed.

(** paper: -
    words: joint caps with one pass are themselves causal, private both ways, and go on wherever the charges fit *)
Theorem one_pass_itself : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
  (outs : hist Req Out -> Req -> list Out) e d, 1 <= e -> 0 <= d <= 1 -> forall x x' : Db,
  causal (one_pass outs e d x x') /\
  (forall M, private menu M (one_pass outs e d x x' M) e d x x' /\ private menu M (one_pass outs e d x x' M) e d x' x) /\
  (forall M h r, joint_fits M [(x, x')] e d (/ e) 1 h r -> one_pass outs e d x x' M h r = Continue).
Proof. intros Db Req Out; exact JointExact.one_pass_itself. Qed.

(** paper: -
    words: both directions of a pair at every eps > 0 and 0 < d < 1: a causal private filter runs all that the capped one runs, and more *)
Theorem stranded_not_maximal : forall e d, 1 < e -> 0 < d < 1 ->
  exists F : mechanism bool Pairs.p_outs -> filter unit bool,
  causal F /\
  (forall M h r, capped M e Pairs.both d h r = Continue -> F M h r = Continue) /\
  (forall M x, private Pairs.p_menu M (F M) e d x (negb x)) /\
  exists M h r, reached Pairs.p_menu Pairs.p_outs (capped M e Pairs.both d) h /\
    capped M e Pairs.both d h r = Halt /\ runs (F M h r) = true.
Proof. exact StrandedGame.stranded_not_maximal. Qed.

(* ---------- twins ---------- *)
(** paper: -
    words: ledgers per part are not private if a round reads more than the part on which it is booked *)
Theorem overlapping_parts_refuted : forall e, 1 <= e ->
  declared erasure both (fun _ _ => 1) (fun h _ => er_p h) /\
  respects er_menu er_outs two_rounds
    (part_fits own_part (fun _ _ => 1) (fun h _ => er_p h) e (1/3)) /\
  ~ private er_menu erasure two_rounds e (1/3) true false.
Proof. exact Parts.overlapping_parts_refuted. Qed.

(** paper: -
    words: an odometer that compares each delta_i with d alone does not keep the promise *)
Theorem odometer_per_round_refuted : bounds_loss erasure [(true, false); (false, true)]
    (fun _ _ => 1) (fun h _ => er_p h) /\
  (forall h, er_p h <= 1/3) /\
  ~ keeps er_menu erasure [(true, false)] (fun _ _ => Continue) per_round_report (1/3).
Proof. exact Odometers.odometer_per_round_refuted. Qed.
