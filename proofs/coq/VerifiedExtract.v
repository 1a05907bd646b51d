(* The verified checker as an OCaml program, `verified.ml` in the working directory.

   Compiling this file compiles the soundness theorem first.  Numbers are the inductive binary
   integers of Coq, so nothing is trusted about machine arithmetic; check.ml reads the JSON. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Filterproof Require Import Verified VerifiedSound.
Extraction Language OCaml.
Extraction "verified.ml" accepts.
