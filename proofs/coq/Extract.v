(* The computing filters as an OCaml program: `filters.ml` is written into the working directory.

   What is extracted is what Rational.v proves equal to the specification and Games.v proves
   private on every tree; numbers are the inductive binary integers of Coq, so nothing is trusted
   about machine arithmetic. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Filterproof Require Import Games.
Extraction Language OCaml.
Extraction "filters.ml" tree_repaired tree_published tree_compensator.
