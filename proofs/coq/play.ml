(* Puts games to the extracted filters: words on standard input, one line of answers per question.

   Input, in words separated by white space; a rational is "p/q" in binary digits:
     top; pairs: count, then x x'; q dt th N delta; horizon;
     nodes: count, then per node its requests: count, then per request: number, outputs: count,
       then per output: number, one rational per database, index of the node that follows;
     questions: count, then per question: rounds: count, then request output (oldest first), request.
   The last node is the first menu.  Games follow one another until the input ends.
   Output per question: the answers of the repaired rule, the published rule, the compensator; then one
   line with the worst divergence of each, over the pairs and over every adversary. *)
open Filters

let word () = Scanf.scanf " %s" (fun s -> s)
let int () = int_of_string (word ())
let rec many n read = if n = 0 then [] else let first = read () in first :: many (n - 1) read
let several read = let n = int () in many n read

let rec nat n = if n = 0 then O else S (nat (n - 1))
let number () = nat (int ())

let positive digits =
  let extend p digit = match digit with '1' -> XI p | '0' -> XO p | _ -> failwith digits in
  if digits = "" || digits.[0] <> '1' then failwith ("not a positive number: " ^ digits);
  String.fold_left extend XH (String.sub digits 1 (String.length digits - 1))

let rational () =
  match String.split_on_char '/' (word ()) with
  | [ "0"; below ] -> { qnum = Z0; qden = positive below }
  | [ above; below ] -> { qnum = Zpos (positive above); qden = positive below }
  | _ -> failwith "not a rational"

let rec digits = function XH -> "1" | XO p -> digits p ^ "0" | XI p -> digits p ^ "1"
let show number =
  match number.qnum with
  | Z0 -> "0/1"
  | Zpos p -> digits p ^ "/" ^ digits number.qden
  | Zneg p -> "-" ^ digits p ^ "/" ^ digits number.qden

let read_tree top =
  let nodes = Array.make (int ()) (Menu []) in
  let read_row () =
    let y = number () in
    let law = many (top + 1) rational in
    ((y, law), nodes.(int ())) in
  let read_request () = let r = number () in (r, several read_row) in
  Array.iteri (fun i _ -> nodes.(i) <- Menu (several read_request)) nodes;
  nodes.(Array.length nodes - 1)

let say = function
  | Halt -> "halt" | Last -> "last" | Continue -> "continue" | Refuse -> "refuse"

let play top_word =
  let top = int_of_string top_word in
  let pairs = several (fun () -> let x = number () in let x' = number () in (x, x')) in
  let q = rational () in
  let dt = rational () in
  let th = rational () in
  let rounds = number () in
  let delta = rational () in
  let horizon = number () in
  let tree = read_tree top in
  let repaired = tree_repaired (nat top) tree pairs q dt th rounds in
  let published = tree_published (nat top) tree pairs q dt th rounds in
  let compensator = tree_compensator (nat top) tree pairs q delta in
  let rules = [ repaired; published; compensator ] in
  let read_round () = let r = number () in let y = number () in (r, Some y) in
  let answer () =
    let history = List.rev (several read_round) in
    let r = number () in
    print_endline (String.concat " " (List.map (fun rule -> say (rule history r)) rules))
  in
  ignore (several answer);
  let worst rule =
    let over best (x, x') = maxQ best (tree_worst (nat top) tree rule q x x' horizon) in
    show (List.fold_left over { qnum = Z0; qden = XH } pairs) in
  print_endline (String.concat " " (List.map worst rules))

let () =
  let rec go () = match word () with "" -> () | top -> play top; go () in
  go ()
