(* The fourth index: budgets per pair and per part, the naive rule without N, and odometers.

   Each entry is as in Theorems.v and Registry.v; `respects`, `pairs` and F are those of Registry.v. *)
From Coq Require Import Reals List Bool.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential Bounds
  Leak Additive Moments Renyi Twins Ever Parts NaiveProduct Odometers OdometersRenyi.
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
