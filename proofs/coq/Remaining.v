(* What the three compensators have left of their budget is a potential.

   In words: delta less the charges so far, and the budgets of the recycling and of the capped filter,
   start at delta, are never negative where x is possible and pay for every round that runs.  These
   are the potentials by which the filters' own code can be proved, one round at a time. *)
From Coq Require Import Rbase Rfunctions List Lra.
From Filterproof Require Import Sums Model Identity Compensator Recycling Capped Potential.
Import ListNotations.
Open Scope R_scope.

Section Remaining.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variables e d : R.
Variable pairs : list (Db * Db).
Variables x x' : Db.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.
Hypothesis Hp : In (x, x') pairs.

Theorem compensator_potential :
  potential menu M (compensator M e pairs d) e x x' d (fun h => d - spent M e x x' h).
Proof.
  apply budget_potential; [lra|]. apply spending_budget; [lra | assumption |].
  apply compensator_spends; assumption.
Qed.

Theorem recycling_potential :
  potential menu M (recycling M e pairs d) e x x' d (recycled M e x x' d).
Proof. apply budget_potential; [lra|]. apply recycling_budget; [lra | |]; assumption. Qed.

Theorem capped_potential :
  potential menu M (capped M e pairs d) e x x' d (capped_budget M e x x' d).
Proof. apply budget_potential; [lra|]. apply capped_pays; [lra | |]; assumption. Qed.
End Remaining.
