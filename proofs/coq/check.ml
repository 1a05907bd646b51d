(* The verified checker as a program: `check FILE ...` prints a line for each certificate.

   Exit code: 0 all accepted, 1 some rejected, 2 a file cannot be read. *)
open Certificate

let read path =
  let file = open_in_bin path in
  let written = really_input_string file (in_channel_length file) in
  close_in file;
  written

let () =
  let paths = List.tl (Array.to_list Sys.argv) in
  if paths = [] then (prerr_endline "usage: check CERTIFICATE.json ..."; exit 2);
  try
    let verdicts = List.map (fun path -> let v = verdict (read path) in print_endline v; v) paths in
    exit (if List.for_all (( = ) "accepted") verdicts then 0 else 1)
  with Sys_error why -> prerr_endline why; exit 2
