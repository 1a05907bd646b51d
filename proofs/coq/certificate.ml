(* Reads a certificate and puts it to the extracted checker: `verdict` of a text is one line.

   This reader is not verified.  It turns down every text that is not canonical JSON of the shape of a
   certificate, and hands the rest to `Verified.accepts` with names as numbers (0 is the empty
   name, databases count from 0 in their order) and decimal numbers as Coq's binary ones.
   No number here needs more than 31 bits, so that it reads the same in JavaScript. *)
open Verified

exception Malformed of string
let fail why = raise (Malformed why)

(* ---------- canonical JSON; a string is kept as it is written ---------- *)
type json =
  | Null
  | Bool of bool
  | Number of string
  | Text of string
  | List of json list
  | Object of (string * json) list

let most_characters = 256 * 1024 * 1024
let most_digits = 100_000
let most_nested = 32

let text = ref ""
let position = ref 0
let peek () = if !position < String.length !text then !text.[!position] else fail "cut off"
let next_char () = let c = peek () in incr position; c
let expect word = String.iter (fun c -> if next_char () <> c then fail "not canonical") word
let line depth =
  if depth >= most_nested then fail "nested too deeply";
  expect "\n"; expect (String.make depth ' ')

let is_digit c = '0' <= c && c <= '9'
let take allowed =
  let start = !position in
  while !position < String.length !text && allowed !text.[!position] do incr position done;
  String.sub !text start (!position - start)

let whole digits =
  digits <> "" && String.length digits <= most_digits && (digits.[0] <> '0' || digits = "0")

let number () =
  let minus = if peek () = '-' then (incr position; "-") else "" in
  let digits = take is_digit in
  if not (whole digits) || (minus <> "" && digits = "0") then fail "not a whole number";
  minus ^ digits

let hexadecimal () =
  let digit c = match c with
    | '0' .. '9' -> Char.code c - 48 | 'a' .. 'f' -> Char.code c - 87 | _ -> fail "not canonical" in
  let rec go n value = if n = 0 then value else let d = digit (next_char ()) in go (n - 1) ((16 * value) + d) in
  go 4 0

let short = [ ('"', 34); ('\\', 92); ('b', 8); ('t', 9); ('n', 10); ('f', 12); ('r', 13) ]

(* one character of a string, as a code; every code has one way to be written *)
let character () =
  match next_char () with
  | '\\' -> (
      match next_char () with
      | 'u' ->
          let code = hexadecimal () in
          if (32 <= code && code <= 126) || List.exists (fun (_, c) -> c = code) short
          then fail "not canonical";
          code
      | c -> ( match List.assoc_opt c short with Some code -> code | None -> fail "not canonical"))
  | ' ' .. '~' as c -> Char.code c
  | _ -> fail "not ASCII"

let word () =
  expect "\"";
  let start = !position in
  while peek () <> '"' do ignore (character ()) done;
  let found = String.sub !text start (!position - start) in
  incr position;
  found

(* the code points of a written string, in which keys are sorted *)
let code_points written =
  let saved = (!text, !position) in
  text := written; position := 0;
  let rec go found =
    if !position = String.length written then List.rev found
    else
      let code = character () in
      match found with
      | high :: rest when 0xd800 <= high && high < 0xdc00 && 0xdc00 <= code && code < 0xe000 ->
          go ((0x10000 + ((high - 0xd800) * 1024) + code - 0xdc00) :: rest)
      | _ -> go (code :: found) in
  let found = go [] in
  text := fst saved; position := snd saved;
  found

let rec increasing = function
  | a :: (b :: _ as rest) -> compare (code_points a) (code_points b) < 0 && increasing rest
  | _ -> true

let rec value depth =
  match peek () with
  | '{' ->
      let pair () = let key = word () in expect ": "; let v = value (depth + 1) in (key, v) in
      let pairs = several depth '{' '}' pair in
      if not (increasing (List.map fst pairs)) then fail "keys are not sorted";
      Object pairs
  | '[' -> List (several depth '[' ']' (fun () -> value (depth + 1)))
  | '"' -> Text (word ())
  | 'n' -> expect "null"; Null
  | 't' -> expect "true"; Bool true
  | 'f' -> expect "false"; Bool false
  | _ -> Number (number ())

and several : 'a. int -> char -> char -> (unit -> 'a) -> 'a list = fun depth opening closing item ->
  expect (String.make 1 opening);
  if peek () = closing then (incr position; [])
  else
    let rec go found =
      line (depth + 1);
      let found = item () :: found in
      if peek () = ',' then (incr position; go found)
      else (line depth; expect (String.make 1 closing); List.rev found) in
    go []

let parse written =
  if String.length written > most_characters then fail "too long";
  text := written; position := 0;
  let found = value 0 in
  expect "\n";
  if !position <> String.length written then fail "not canonical";
  found

(* ---------- shapes ---------- *)
let str = function Text s -> s | _ -> fail "not a string"
let list = function List l -> l | _ -> fail "not a list"
let pairs = function Object l -> l | _ -> fail "not an object"
let two read = function List [ a; b ] -> (read a, read b) | _ -> fail "not a pair"
let keyed names = function
  | Object l when List.map fst l = names -> List.map snd l
  | _ -> fail ("need just the keys " ^ String.concat ", " names)
let exactly expected found = if found <> expected then fail "unknown schema or version"

let rec parameter = function
  | Object [ ("tuple", List items) ] -> List.iter parameter items
  | Object [ (("rational" | "float"), Text _) ] | Null | Bool _ | Number _ | Text _ -> ()
  | _ -> fail "a parameter of no known kind"

(* ---------- Coq's numbers ---------- *)
let nats = ref [| O |]
let rec nat n =
  if n < Array.length !nats then !nats.(n)
  else (nats := Array.append !nats (Array.init (Array.length !nats) (fun _ -> O)); fill (); nat n)
and fill () = Array.iteri (fun i _ -> if i > 0 then !nats.(i) <- S !nats.(i - 1)) !nats

let limit = ref 0
(* a number of a node, a turn or a state: whatever is out of range is never right *)
let index = function
  | Number digits when String.length digits <= 9 && digits.[0] <> '-' ->
      let n = int_of_string digits in
      if n > !limit then fail "out of range" else nat n
  | _ -> fail "not an index"

(* decimal digits, in limbs of four, divided by 2^15 again and again: 2^15 * 10^4 < 2^30 *)
let limbs digits =
  let rec go stop found = if stop <= 0 then found else
    let start = max 0 (stop - 4) in
    go start (int_of_string ("0u" ^ String.sub digits start (stop - start)) :: found) in
  go (String.length digits) []
let divide number =
  let step (above, remainder) limb =
    let n = (remainder * 10_000) + limb in
    ((n lsr 15) :: above, n land 0x7fff) in
  let above, remainder = List.fold_left step ([], 0) number in
  (List.rev above, remainder)
let rec strip = function 0 :: rest -> strip rest | l -> l
let rec chunks found = function
  | [] -> found
  | number -> let above, low = divide number in chunks (low :: found) (strip above)

let positive digits =
  let extend p bit = match p with
    | None -> if bit then Some XH else None
    | Some p -> Some (if bit then XI p else XO p) in
  let bits p chunk = List.fold_left (fun p i -> extend p ((chunk lsr i) land 1 = 1)) p (List.init 15 (fun i -> 14 - i)) in
  match List.fold_left bits None (chunks [] (strip (limbs digits))) with
  | Some p -> p
  | None -> fail "zero below the line"

let integer written =
  let minus = written <> "" && written.[0] = '-' in
  let digits = if minus then String.sub written 1 (String.length written - 1) else written in
  if not (whole digits && String.for_all is_digit digits) then fail "not a rational";
  if digits = "0" then (if minus then fail "not a rational" else Z0)
  else if minus then Zneg (positive digits) else Zpos (positive digits)

(* "p" or "p/q"; that it is in lowest terms is for the checker to test *)
let fraction written =
  match String.split_on_char '/' written with
  | [ p ] -> { qnum = integer p; qden = XH }
  | [ p; q ] when whole q && String.for_all is_digit q && q <> "1" ->
      let qden = positive q in { qnum = integer p; qden }
  | _ -> fail "not a rational"
let rational json = fraction (str json)

let budget json =
  let written = str json in
  let n = String.length written in
  if n > 5 && String.sub written 0 4 = "log(" && written.[n - 1] = ')'
  then Logarithm (fraction (String.sub written 4 (n - 5)))
  else Rational (fraction written)

(* ---------- the certificate ---------- *)
let names : (string, nat) Hashtbl.t = Hashtbl.create 100
let name written =
  match Hashtbl.find_opt names written with
  | Some n -> n
  | None -> let n = nat (Hashtbl.length names) in Hashtbl.add names written n; n

let rec place i x = function
  | [] -> fail "unknown database"
  | z :: rest -> if z = x then nat i else place (i + 1) x rest

(* a name is not empty and has no control characters *)
let known_as written =
  let control code = code < 32 || (127 <= code && code < 160) in
  if written = "" || List.exists control (code_points written) then fail "a name that is none";
  written

(* "p" or "p/q", not negative: at most 1 *)
let at_most_one written =
  let shorter a b = String.length a < String.length b || (String.length a = String.length b && a <= b) in
  match String.split_on_char '/' written with
  | [ p; q ] -> shorter p q
  | _ -> written = "0" || written = "1"

let offer databases (r, json) =
  match keyed [ "after"; "declared"; "law" ] json with
  | [ after; declared; law ] ->
      let rows, after = (pairs law, pairs after) in
      if List.map fst rows <> List.map fst after then fail "an output leads nowhere";
      let leaf (y, row) (_, node) =
        let row = pairs row in
        if List.length row <> List.length databases then fail "a row misses a database";
        let entry x = match List.assoc_opt x row with
          | Some p -> rational p | None -> fail "a row misses a database" in
        if List.for_all (fun (_, p) -> p = Text "0") row then fail "an output that never happens";
        ((name (known_as y), List.map entry databases), index node) in
      let _, delta = two str declared in
      if not (at_most_one delta) then fail "the declared pair is out of range";
      { asks = name (known_as r); leaves_of = List.map2 leaf rows after; declared = two rational declared }
  | _ -> fail "not a mechanism"

let answer request json =
  match keyed [ "decision"; "node"; "state"; "then" ] json with
  | [ decision; node; state; next ] ->
      let said = match str decision with
        | "halt" -> Halt | "last" -> Last | "continue" -> Continue | "refuse" -> Refuse
        | _ -> fail "no decision" in
      let turn = function Null -> None | json -> Some (index json) in
      { node = index node; state = index state; request = name (str request); said;
        next = List.map (fun (y, j) -> (name y, turn j)) (pairs next) }
  | _ -> fail "not an answer"

(* what pairs are promised: in the order of the databases, each pair once, all neighbours among them *)
let promise databases = function
  | List [ x; z; epsilon; delta ] ->
      let number json = place 0 (str json) databases in
      if str x = str z then fail "a promise needs two databases";
      ((number x, number z), (budget epsilon, rational delta))
  | _ -> fail "not a promise"

let rec rank = function O -> 0 | S n -> 1 + rank n
let check_promises neighbours promises =
  let places = List.map (fun ((x, z), _) -> (rank x, rank z)) promises in
  if List.sort_uniq compare places <> places then fail "promises must be in order, each pair named once";
  let known (x, z) = List.mem (rank x, rank z) places && List.mem (rank z, rank x) places in
  if not (List.for_all known neighbours) then fail "a pair of neighbours has no promise"

(* the certificate about what its pair is promised; what it was opened with is a budget as well *)
let about promises c =
  let good (epsilon, delta) = in_range { c with epsilon; delta } in
  if not (in_range c && List.for_all (fun (_, own) -> good own) promises)
  then fail "epsilon or delta is out of range";
  let same ((x, z), _) = (rank x, rank z) = (rank (fst c.pair), rank (snd c.pair)) in
  match List.find_opt same promises with
  | Some (_, (epsilon, delta)) -> { c with epsilon; delta }
  | None -> c

let keys =
  [ "adversary"; "answers"; "delta"; "epsilon"; "event"; "excess"; "game"; "mass_x"; "mass_x_prime";
    "pair"; "parameters"; "schema"; "target"; "version" ]

let certificate json =
  match keyed keys json with
  | [ adversary; answers; delta; epsilon; event; excess; game; mass_x; mass_x'; pair; parameters;
      schema; target; version ] -> (
      exactly (Text "filterproof.certificate") schema;
      exactly (Number "1") version;
      ignore (str target);
      List.iter (fun (_, p) -> parameter p) (pairs parameters);
      let parts, listed = match pairs game with
        | [ _; _; _; ("promises", List []); _; _ ] -> fail "a list of no promises"
        | [ a; b; c; ("promises", List l); d; e ] -> (Object [ a; b; c; d; e ], l)
        | _ -> (game, []) in
      match keyed [ "databases"; "neighbours"; "nodes"; "schema"; "version" ] parts with
      | [ databases; neighbours; nodes; game_schema; game_version ] ->
          exactly (Text "filterproof.game") game_schema;
          exactly (Number "1") game_version;
          let answers, requests = (list answers, list adversary) in
          if List.length answers <> List.length requests then fail "need one request per answer";
          Hashtbl.reset names; ignore (name "");
          limit := List.length (list nodes) + List.length answers;
          let databases = List.map (fun x -> known_as (str x)) (list databases) in
          if databases = [] || List.length (List.sort_uniq compare databases) <> List.length databases
          then fail "databases must be different";
          let database json = place 0 (str json) databases in
          let menu json = List.map (offer databases) (pairs json) in
          let neighbours = List.map (two database) (list neighbours) in
          let promises = List.map (promise databases) listed in
          if promises <> [] then check_promises neighbours promises;
          about promises
          { top = nat (List.length databases - 1);
            neighbours; promised = List.map fst promises;
            nodes = List.rev_map menu (list nodes);
            epsilon = budget epsilon; delta = rational delta; pair = two database pair;
            turns = List.map2 answer requests answers;
            event = List.map (function List [ i; y ] -> (index i, name (str y)) | _ -> fail "event") (list event);
            masses = (rational mass_x, rational mass_x'); claimed = two rational excess }
      | _ -> fail "not a game")
  | _ -> fail "not a certificate"

let verdict written =
  match accepts (certificate (parse written)) with
  | true -> "accepted"
  | false -> "rejected: the certificate does not hold"
  | exception Malformed why -> "rejected: malformed: " ^ why
