(* The computing filters and the audit as an OCaml program, `filters.ml` in the working directory.

   What is extracted is what Rational.v and RationalAudit.v prove equal to the specification, on
   every tree of Games.v; numbers are the inductive binary integers of Coq, so nothing is trusted
   about machine arithmetic. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Filterproof Require Import Games RationalAudit.
Extraction Language OCaml.
Extraction "filters.ml" tree_repaired tree_published tree_compensator tree_worst.
