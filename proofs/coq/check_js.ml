(* The verified checker for a browser or Node: a function `filterproofVerdict(text)` of the global
   object, which returns "accepted", or "rejected: " and why, or "undecided: " and why. *)
open Js_of_ocaml

let verdict text =
  match Certificate.verdict (Js.to_string text) with
  | said -> Js.string said
  | exception Stack_overflow -> Js.string "undecided: the certificate is too large for this browser"

let () = Js.Unsafe.set Js.Unsafe.global "filterproofVerdict" (Js.wrap_callback verdict)
