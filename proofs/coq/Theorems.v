(* The index: every headline theorem restated in full, with its place in the paper.

   Each entry says where the paper speaks of it ("-": nowhere, it is this project's) and what holds,
   in words; its proof is one reference to the file that proves it.  The build asks for the
   assumptions of every entry and fails if one is not in `axioms.allowed`.  Registry.v is the second
   index: a theorem for every filter. *)
From Coq Require Import QArith Qreals Rbase Rfunctions List Bool.
From Filterproof Require Import Sums Model Identity Audit LookAhead Repaired Published Guessing
  Chain DeltaHat Kappa Compensator Recycling Capped Causal Converse Controls
  EarlyStop Rational Games RationalAudit.
Import ListNotations.
Open Scope R_scope.

Section Index.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
  (offer : hist Req Out -> Req -> list Req) {outs : hist Req Out -> Req -> list Out}
  (M : mechanism Db outs) (pairs : list (Db * Db)) (F : filter Req Out) (A : adversary menu).
(* the menu of the next round does not depend on the output just released *)
Let blind : Prop := forall h r y, menu ((r, Some y) :: h) = offer h r.

(* ---------- privacy and the repaired filter ---------- *)
(** paper: Definition 1
    words: (eps, d) holds on every event exactly if the hockey-stick divergence is at most d *)
Theorem private_iff_hockey : forall e x x' n d,
  (forall S, prob A F M x n S <= e * prob A F M x' n S + d) <-> hockey A F M e x x' n <= d.
Proof. exact (Model.private_iff_hockey outs A F M). Qed.

(** paper: Theorem 1, repaired
    words: the repaired filter is (eps, d)-DP, every random adaptive adversary and event, sharp constant (blind menus) *)
Theorem repaired_private : forall e dt th d N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (repaired menu M pairs e dt th N) e d x x'.
Proof. intros; eapply Repaired.repaired_private; eassumption. Qed.

(** paper: Theorem 1, repaired, with the constraint of Algorithm 1
    words: the repaired filter is (eps, d)-DP if dt + th (1 - dt) N <= d (blind menus) *)
Theorem repaired_private_paper : forall e dt th d N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  dt + th * (1 - dt) * INR N <= d ->
  forall x x', In (x, x') pairs -> private menu M (repaired menu M pairs e dt th N) e d x x'.
Proof. intros; eapply Repaired.repaired_private_paper; eassumption. Qed.

(** paper: eq: alg proof first part, repaired
    words: if the adversary goes on asking, the realised loss exceeds eps with probability at most d (blind menus) *)
Theorem repaired_tail : forall e dt th d N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> forall (B : adversary menu) n, persistent B -> (N <= n)%nat ->
  prob B (repaired menu M pairs e dt th N) M x n (exceed M e x x') <= d.
Proof. intros; eapply Repaired.repaired_tail; eassumption. Qed.

(** paper: Theorem 1, repaired
    words: a look-ahead filter whose tests imply the checks (by an upper bound of the risk, say) is private (blind menus) *)
Theorem cautious_private : forall e dt th d start cont N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  (start = true -> check_start menu M e dt pairs) ->
  (forall h r, cont h r = true -> check_repaired menu M e dt pairs th h r) ->
  1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (lookahead start cont N) e d x x'.
Proof. intros e dt th d s c N He Hdt Hth Hb; exact (Repaired.cautious_private offer Hb M pairs e dt th d s c N He Hdt Hth). Qed.

(** paper: -
    words: spending the realised probability of a bad output as a product needs neither theta nor a bound on N (blind menus) *)
Theorem ledger_private : forall e dt d start cont N x x', 1 <= e -> blind -> dt <= d -> 0 <= d ->
  (start = true -> good menu M e dt x x' [] = true) ->
  ledger_kept (menu := menu) M e dt d start cont N x x' ->
  private menu M (lookahead start cont N) e d x x'.
Proof. intros e dt d s c N x x' He Hb; exact (LookAhead.ledger_private offer Hb M e dt d s c N x x' He). Qed.

(* ---------- what the published rule guarantees ---------- *)
(** paper: Theorem 1, one request per round
    words: with one request per round the published rule is private, with the sharp constant (blind menus) *)
Theorem published_private_one : forall e dt th d N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  (forall h r, (length (offer h r) <= 1)%nat) -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (published menu offer M pairs e dt th N) e d x x'.
Proof. intros; eapply Published.published_private_one; eassumption. Qed.

(** paper: Theorem 1, few requests
    words: with at most m requests per round the published rule is private with m theta in place of theta (blind menus) *)
Theorem published_private_few : forall m e dt th d N, 1 <= e -> 0 <= dt <= 1 -> 0 <= th -> INR m * th <= 1 ->
  blind -> (forall h r, (length (offer h r) <= m)%nat) ->
  1 - d <= (1 - dt) * (1 - INR m * th) ^ (N - 1) ->
  forall x x', In (x, x') pairs -> private menu M (published menu offer M pairs e dt th N) e d x x'.
Proof. intros; eapply Published.published_private_few; eassumption. Qed.

(** paper: Theorem 1, requests that ignore the last output
    words: the published rule is private against adversaries whose next request ignores the last output (blind menus) *)
Theorem published_private_delayed : forall e dt th d N x x', 1 <= e -> 0 <= dt <= 1 -> 0 <= th <= 1 -> blind ->
  delayed menu A -> In (x, x') pairs -> 0 <= d -> 1 - d <= (1 - dt) * (1 - th) ^ (N - 1) ->
  forall n S, prob A (published menu offer M pairs e dt th N) M x n S
    <= e * prob A (published menu offer M pairs e dt th N) M x' n S + d.
Proof. intros; eapply Published.published_private_delayed; eassumption. Qed.

(** paper: eq: better check
    words: delta-hat is at most delta-tilde exactly if the better check holds *)
Theorem delta_hat_iff_check : forall e th dt h r delta_hat, 0 <= dt <= 1 ->
  is_inf (allowed_level offer M pairs e th h r) delta_hat ->
  (delta_hat <= dt <-> check_published offer M pairs e dt th h r).
Proof. exact (DeltaHat.delta_hat_iff_check offer M pairs). Qed.

(* ---------- the identity and the audit ---------- *)
Context (Req_eq : forall a b : Req, {a = b} + {a <> b}) (nodup : forall h, NoDup (menu h)).

(** paper: -
    words: the divergence is the expected sum of the charges of the rounds that run, for all four answers *)
Theorem identity_expectation : forall e x x' n, 1 <= e ->
  hockey A F M e x x' n = law A F M x n [] (spent M e x x').
Proof. exact (Identity.identity_expectation A F M). Qed.

(** paper: -
    words: one backward pass decides privacy against every adversary up to a horizon *)
Theorem audit_exact : forall e x x' N d,
  (forall (B : adversary menu) S, prob B F M x N S <= e * prob B F M x' N S + d)
  <-> worst menu M F e x x' N [] <= d.
Proof. intros e x x' N; exact (Audit.audit_exact menu M F e x x' Req_eq nodup N). Qed.

(** paper: -
    words: the worst value is attained, and it is also the worst expected sum of charges *)
Theorem audit_by_charges : forall e x x' N, 1 <= e ->
  worst menu M F e x x' N [] = charges (worst_adversary menu M F e x x' Req_eq nodup N) F M e x x' N [] /\
  forall B : adversary menu, charges B F M e x x' N [] <= worst menu M F e x x' N [].
Proof. intros e x x' N; exact (Audit.audit_by_charges menu M F e x x' Req_eq nodup N). Qed.

(** paper: -
    words: a filter is private up to a horizon exactly if budgets >= 0 pay for each round in expectation *)
Theorem budgets_complete : forall e x x' N d, 1 <= e ->
  (forall (B : adversary menu) S, prob B F M x N S <= e * prob B F M x' N S + d)
  <-> exists U, budget_upto menu M F e x x' N d U.
Proof. intros e x x' N; exact (Audit.budgets_complete menu M F e x x' Req_eq nodup N). Qed.

(* ---------- the compensator and its relatives ---------- *)
Let comp (e d : R) : filter Req Out := compensator M e pairs d.

(** paper: -
    words: every filter, with any of the four answers, whose rounds stay within delta in charges is private *)
Theorem spending_private : forall e d x x', 1 <= e -> 0 <= d -> spends_within menu M F e d x x' ->
  private menu M F e d x x'.
Proof. exact (Compensator.spending_private menu M F). Qed.

(** paper: -
    words: the compensator filter is (eps, d)-DP for every adversary and horizon *)
Theorem compensator_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (comp e d) e d x x'.
Proof. intros e; exact (Compensator.compensator_private menu M e pairs). Qed.

(** paper: -
    words: the compensator may refuse a request and go on instead of halting *)
Theorem refusing_compensator_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (refusing_compensator M e pairs d) e d x x'.
Proof. intros e; exact (Compensator.refusing_compensator_private menu M e pairs). Qed.

(** paper: Section II-B, the Bayesian filter of Pan
    words: at delta = 0 the compensator is the Bayesian filter, transcript by transcript *)
Theorem compensator_at_zero : forall e, 1 <= e -> forall h,
  (reached menu outs (comp e 0) h <-> reached menu outs (bayesian M e pairs) h) /\
  (reached menu outs (comp e 0) h ->
     forall r, comp e 0 h r = bayesian M e pairs h r).
Proof. intros e; exact (Compensator.compensator_at_zero menu M e pairs). Qed.

(** paper: -
    words: the recycling filter is (eps, d)-DP for every adversary and horizon *)
Theorem recycling_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (recycling M e pairs d) e d x x'.
Proof. intros e; exact (Recycling.recycling_private menu M e pairs). Qed.

(** paper: -
    words: the recycling filter runs wherever the compensator runs *)
Theorem recycling_dominates : forall e d, 1 <= e -> 0 <= d -> forall h r,
  reached menu outs (comp e d) h -> runs (comp e d h r) = true ->
  reached menu outs (recycling M e pairs d) h /\ runs (recycling M e pairs d h r) = true.
Proof. intros e; exact (Recycling.recycling_dominates menu M e pairs). Qed.

(** paper: -
    words: the capped compensator is (eps, d)-DP for every adversary and horizon *)
Theorem capped_private : forall e d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (capped M e pairs d) e d x x'.
Proof. intros e; exact (Capped.capped_private menu M e pairs). Qed.

(** paper: -
    words: the capped compensator runs wherever the compensator runs *)
Theorem capped_dominates : forall e d, 1 <= e -> 0 <= d -> forall h r,
  reached menu outs (comp e d) h -> runs (comp e d h r) = true ->
  reached menu outs (capped M e pairs d) h /\ runs (capped M e pairs d h r) = true.
Proof. intros e; exact (Capped.capped_dominates menu M e pairs). Qed.
End Index.

(* ---------- games that decide a question ---------- *)
(** paper: Theorem 1, refuted
    words: for all eps and 0 < d < 1 some m meets the paper's constraint and the published rule is not (eps, d)-DP *)
Theorem published_refuted : forall e d, 1 <= e -> 0 < d < 1 -> exists m Hm,
  0 + / INR m * (1 - 0) * INR 2 <= d /\
  ~ private (g_menu m) (guessing m Hm) (g_published e m Hm) e d true false.
Proof. exact Guessing.published_refuted. Qed.

(** paper: Theorem 1, refuted
    words: for every m the adversary of the guessing game learns the database surely *)
Theorem guess_reveals : forall e, 1 <= e -> forall m Hm x,
  prob (guesser m Hm) (g_published e m Hm) (guessing m Hm) x 2 says_true = ind x.
Proof. exact Guessing.guess_reveals. Qed.

(** paper: Algorithm 1, the constraint on its parameters
    words: the sharp constant is attained for all dt, th and N, so no smaller d is private *)
Theorem sharp_constant : forall e dt th, 1 <= e -> forall (Hdt : 0 <= dt <= 1) (Hth : 0 <= th <= 1) N,
  (1 <= N)%nat -> forall d,
  private c_menu (chain dt th Hdt Hth N) (c_repaired e dt th Hdt Hth N) e d true false ->
  1 - (1 - dt) * (1 - th) ^ (N - 1) <= d.
Proof. exact Chain.sharp_constant. Qed.

(** paper: Section II-B, the naive rule
    words: the naive rule is not private: erasure 1/4, then 1/3, with delta = 1/3 *)
Theorem naive_refuted : forall e, 1 <= e ->
  ~ private er_menu erasure (naive erasure e [(true, false); (false, true)] (1/3)) e (1/3) true false.
Proof. exact Controls.naive_refuted. Qed.

(** paper: Algorithm 1, the test before round 1
    words: without the test before the first request a full reveal is released *)
Theorem start_check_needed : forall e d, d < 1 -> forall cont,
  ~ private b_menu revealing (lookahead true cont 1) e d true false.
Proof. exact Controls.start_check_needed. Qed.

(** paper: eq: alg proof first part, repaired
    words: an adversary that stops early breaks that bound (3/4 for d = 1/2), though not privacy *)
Theorem early_stop_breaks_tail : prob stopper s_filter swing true 2 (exceed swing 2 true false) = 3/4 /\
  private s_menu swing s_filter 2 (1/2) true false.
Proof. exact (conj EarlyStop.early_stop_breaks_tail (early_stop_is_private _ _ (or_introl eq_refl))). Qed.

(** paper: -
    words: the capped compensator goes on somewhere where the compensator halts *)
Theorem capped_runs_more : forall e pairs, 1 <= e ->
  (forall p, In p pairs -> snd p = negb (fst p)) -> In (true, false) pairs ->
  compensator erasure e pairs (1/2) blank1 tt = Halt /\
  reached er_menu er_outs (capped erasure e pairs (1/2)) blank1 /\
  capped erasure e pairs (1/2) blank1 tt = Continue.
Proof. exact Capped.capped_runs_more. Qed.

(* ---------- the converse ---------- *)
Section ConverseIndex.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req) (outs : hist Req Out -> Req -> list Out)
  (Db_eq : forall a b : Db, {a = b} + {a <> b}) (Req_eq : forall a b : Req, {a = b} + {a <> b})
  (Out_eq : forall a b : Out, {a = b} + {a <> b})
  (menu_nodup : forall h, NoDup (menu h)) (outs_nodup : forall h r, NoDup (outs h r))
  (some_request : hist Req Out -> Req) (some_request_in : forall h, In (some_request h) (menu h))
  (shown blank : Out) (shown_blank : shown <> blank)
  (shown_in : forall h r, In shown (outs h r)) (blank_in : forall h r, In blank (outs h r)).

(** paper: -
    words: a causal filter that outruns the compensator where every branch had headroom is not private *)
Theorem converse_with_headroom : forall e d, 1 <= e -> 0 <= d -> forall x x' : Db, x <> x' ->
  forall (F : mechanism Db outs -> filter Req Out) M h0 r0,
  causal F -> dominates menu outs e d x x' F ->
  reached menu outs (compensator M e [(x, x')] d) h0 -> In r0 (menu h0) ->
  compensator M e [(x, x')] d h0 r0 = Halt -> runs (F M h0 r0) = true ->
  (forall k r y c, on_path Req_eq Out_eq ((r, Some y) :: k) h0 = true -> In c (outs k r) -> c <> y ->
     0 < like M x ((r, Some c) :: k) ->
     like M x ((r, Some c) :: k) * (d - spent M e x x' ((r, Some c) :: k))
       <= like M x ((r, Some c) :: k) - excess M e x x' ((r, Some c) :: k)) ->
  ~ always_private menu outs e d x x' F.
Proof. intros e d He Hd x x' Hx; eapply Converse.converse_with_headroom; eassumption. Qed.

End ConverseIndex.

(** paper: -
    words: without headroom it is false: a causal private filter dominates the compensator and runs more *)
Theorem unconditional_converse_refuted : forall e, 1 <= e ->
  exists F : mechanism bool er_outs -> filter unit sym,
    causal F /\ dominates er_menu er_outs e (1/2) true false F /\
    always_private er_menu er_outs e (1/2) true false F /\
    exists M h r, reached er_menu er_outs (compensator M e [(true, false)] (1/2)) h /\
      0 < like M true h /\ compensator M e [(true, false)] (1/2) h r = Halt /\ F M h r = Continue.
Proof. exact Converse.unconditional_converse_refuted. Qed.

(* ---------- Gaussian rounds ---------- *)
(** paper: Proposition 1
    words: for i >= 1 the check of i.i.d. Gaussian rounds is a threshold kappa on the realised loss *)
Theorem kappa_iff_check : forall Phi Q, (forall a b, a < b -> Phi a < Phi b) ->
  (forall p, 0 < p < 1 -> Phi (Q p) = p) -> forall eps sigma dt th, 0 < sigma -> 0 < dt < 1 -> 0 < th < 1 ->
  forall l, check (loss_cdf Phi sigma) eps dt th l
    <-> l <= eps - / sigma ^ 2 - / sigma * (Q (1 - dt) + Q (1 - th)).
Proof. exact Kappa.kappa_iff_check. Qed.

(** paper: Appendix, the display with 2/sigma
    words: the displayed inner probability describes another set, for every sigma *)
Theorem appendix_display_differs : forall Phi Q, (forall a b, a < b -> Phi a < Phi b) ->
  (forall p, 0 < p < 1 -> Phi (Q p) = p) -> forall eps sigma dt, 0 < sigma -> 0 < dt < 1 ->
  good_loss (loss_cdf Phi sigma) eps dt (highest_good (loss_quantile Q sigma) eps dt) /\
  ~ good_loss_as_displayed Phi eps sigma dt (highest_good (loss_quantile Q sigma) eps dt).
Proof. exact Kappa.appendix_display_differs. Qed.

(* ---------- what is extracted ---------- *)
Section Executable.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req) (outs : hist Req Out -> Req -> list Out)
  (prQ : Db -> hist Req Out -> Req -> Out -> Q) (pairs : list (Db * Db))
  (nonneg : forall x h r y, (0 <= prQ x h r y)%Q) (total : forall x h r, (sumQ (outs h r) (prQ x h r) == 1)%Q).

(** paper: Algorithm 1, repaired
    words: the rational program of the repaired rule gives the answers of the specification *)
Theorem repaired_computes : forall q dt th N h r,
  repairedQ menu outs prQ pairs q dt th N h r =
  repaired menu (real_mechanism outs prQ nonneg total) pairs (Q2R q) (Q2R dt) (Q2R th) N h r.
Proof. intros q; exact (Rational.repaired_computes menu outs prQ pairs q nonneg total). Qed.

(** paper: -
    words: the rational program of the compensator gives the answers of the specification *)
Theorem compensator_computes : forall q d h r,
  compensatorQ outs prQ pairs q d h r =
  compensator (real_mechanism outs prQ nonneg total) (Q2R q) pairs (Q2R d) h r.
Proof. intros q; exact (Rational.compensator_computes outs prQ pairs q nonneg total). Qed.
End Executable.

(** paper: Theorem 1, repaired
    words: the extracted repaired filter is private on every tree *)
Theorem tree_repaired_private : forall top t pairs q dt th N d x x',
  (1 <= q)%Q -> (0 <= dt <= 1)%Q -> (0 <= th <= 1)%Q ->
  1 - Q2R d <= (1 - Q2R dt) * (1 - Q2R th) ^ (N - 1) -> In (x, x') pairs ->
  private (tree_menu top t) (tree_mechanism top t) (tree_repaired top t pairs q dt th N)
    (Q2R q) (Q2R d) x x'.
Proof. exact Games.tree_repaired_private. Qed.

(** paper: -
    words: the extracted compensator is private on every tree *)
Theorem tree_compensator_private : forall top t pairs q d x x',
  (1 <= q)%Q -> (0 <= d)%Q -> In (x, x') pairs ->
  private (tree_menu top t) (tree_mechanism top t) (tree_compensator top t pairs q d) (Q2R q) (Q2R d) x x'.
Proof. exact Games.tree_compensator_private. Qed.

(** paper: Definition 1
    words: the extracted audit decides privacy of any filter on any tree, up to a horizon *)
Theorem tree_audit_decides : forall top t F q x x' N d,
  (forall (A : adversary (tree_menu top t)) S, prob A F (tree_mechanism top t) x N S
     <= Q2R q * prob A F (tree_mechanism top t) x' N S + Q2R d)
  <-> (tree_worst top t F q x x' N <= d)%Q.
Proof. exact RationalAudit.tree_audit_decides. Qed.

(* ---------- the verified checker of certificates ---------- *)
From Coq Require Import ZArith Rtrigo_def.
From Filterproof Require Import VerifiedExp Verified VerifiedSound.
Local Open Scope R_scope.

(** paper: -
    words: the enclosure by which the verified checker decides signs holds e^eps *)
Theorem exp_enclosed : forall eps p, (0 <= eps)%Q -> (0 <= p)%Z ->
  Q2R (fst (bounds eps p)) <= exp (Q2R eps) <= Q2R (snd (bounds eps p)).
Proof. exact VerifiedExp.bounds_sound. Qed.

(** paper: Definition 1
    words: if the verified checker accepts a certificate, then against any filter that answers as it says, its
      adversary has an event S whose probabilities P_x(S), P_x'(S) are exactly the masses stated *)
Theorem accepted_masses : forall c, accepts c = true -> forall F, answers_so c F ->
  exists A : adversary (tree_menu (top c) (game c)),
  prob A F (tree_mechanism (top c) (game c)) (fst (pair c)) (length (turns c)) (chosen c) = Q2R (fst (masses c)) /\
  prob A F (tree_mechanism (top c) (game c)) (snd (pair c)) (length (turns c)) (chosen c) = Q2R (snd (masses c)).
Proof. exact VerifiedSound.accepted_masses. Qed.

(** paper: Definition 1
    words: what the verified checker accepts has H > delta, against any filter that answers as the certificate says *)
Theorem accepted_is_violated : forall c, accepts c = true -> forall F, answers_so c F ->
  exists A : adversary (tree_menu (top c) (game c)),
  hockey A F (tree_mechanism (top c) (game c)) (odds (epsilon c)) (fst (pair c)) (snd (pair c)) (length (turns c))
    > Q2R (delta c).
Proof. exact VerifiedSound.accepted_is_violated. Qed.

(** paper: Definition 1
    words: no filter that answers as an accepted certificate says is (eps, delta)-private for its pair, which are
      neighbours or have a promise of their own; (eps, delta) is what this pair is promised *)
Theorem accepted_not_private : forall c, accepts c = true -> forall F, answers_so c F ->
  In (pair c) (related c ++ promised c) /\ 1 <= odds (epsilon c) /\
  ~ private (tree_menu (top c) (game c)) (tree_mechanism (top c) (game c)) F
      (odds (epsilon c)) (Q2R (delta c)) (fst (pair c)) (snd (pair c)).
Proof. exact VerifiedSound.accepted_not_private. Qed.
