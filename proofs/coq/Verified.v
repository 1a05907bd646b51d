(* A certificate checker that is proved: what it accepts is a violation.

   In words: a certificate holds a game, the turns of one adversary with the filter's answer at each,
   an event and the two masses of that event.  VerifiedSound.v proves: if `accepts` says yes, then
   against every filter that answers as the certificate says (`answers_so`) there is an adversary,
   namely the one of the certificate, for which the masses stated are P_x(S) and P_x'(S), and
   P_x(S) > e^eps P_x'(S) + delta; so the hockey-stick divergence is above delta and the filter is not
   private for this pair, in the sense of Model.v, on the game that Games.v makes of the tree.

   Not proved: that a filter answers so (a replay asks it), and that the text of a certificate says
   what the reader in check.ml hands over.  `accepts` also tests what no theorem needs (the
   declared pairs, the numbering of states, the event being the best one), so that it draws the line
   where the checker in Python draws it. *)
From Coq Require Import QArith Qreals Reals List Bool Arith Lia Lra.
From Filterproof Require Import Sums Model Rational Games VerifiedExp.
Import ListNotations.
Open Scope nat_scope.

(* ---------- what a certificate says; names are numbers, and 0 is the empty name ---------- *)
Definition leaf : Type := (nat * list Q * nat)%type. (* output, law by database, node after it *)
Record offer := { asks : nat; leaves_of : list leaf; declared : Q * Q }.
Record turn := {
  node : nat; (* where it is asked *)
  state : nat; (* of the filter, by number *)
  request : nat;
  said : decision;
  next : list (nat * option nat) }. (* after each output the number of the next turn, or the end *)
Record certificate := {
  top : nat; (* databases are 0 .. top *)
  neighbours : list (nat * nat);
  promised : list (nat * nat); (* ordered pairs that have a promise of their own *)
  nodes : list (list offer); (* latest first: the first menu *)
  epsilon : budget; (* with delta: what the pair is promised *)
  delta : Q;
  pair : nat * nat;
  turns : list turn;
  event : list (nat * nat); (* turn, last output *)
  masses : Q * Q;
  claimed : Q * Q }. (* the excess: a + b e^eps *)

(* the element with number n of a list whose latest element stands first *)
Definition get {A : Type} (l : list A) (n : nat) (d : A) : A := nth (length l - S n) l d.
Fixpoint lookup {A : Type} (n : nat) (l : list (nat * A)) : option A :=
  match l with [] => None | (m, a) :: k => if n =? m then Some a else lookup n k end.

(* ---------- the game as a tree of Games.v ---------- *)
Definition planted (built : list tree) (w : leaf) : row :=
  (fst w, get built (snd w) (Menu [])).
Definition plant (built : list tree) (menu : list offer) : tree :=
  Menu (map (fun o => (asks o, map (planted built) (leaves_of o))) menu).
Fixpoint grow (ns : list (list offer)) : list tree :=
  match ns with [] => [] | menu :: earlier => plant (grow earlier) menu :: grow earlier end.

Definition decision_eq (a b : decision) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition no_turn : turn := {| node := 0; state := 0; request := 0; said := Halt; next := [] |}.

Section Certificate.
Variable c : certificate.
Local Notation H := (hist nat nat).
Definition forest : list tree := grow (nodes c).
Definition game : tree := get forest (length (nodes c) - 1) (Menu []).
Definition turn_at (i : nat) : turn := nth i (turns c) no_turn.
Definition find_offer (n r : nat) : option offer :=
  find (fun o => asks o =? r) (get (nodes c) n []).
Definition leaves_at (t : turn) : list leaf :=
  match find_offer (node t) (request t) with Some o => leaves_of o | None => [] end.

(* ---------- the play ---------- *)
(* the turn that follows an output by name; None where the transcript ends *)
Definition turn_after (t : turn) (y : nat) : option nat :=
  match lookup y (next t) with Some j => j | None => None end.
Definition label (o : option nat) : nat := match o with Some y => y | None => 0 end.
(* the turn after a reply; None where the transcript ends, or the reply does not fit the answer *)
Definition follow (i r : nat) (o : option nat) : option nat :=
  let t := turn_at i in
  match (r =? request t), (goes_on (said t)), (runs (said t)), o with
  | true, true, true, Some y => turn_after t y
  | true, true, false, None => turn_after t 0
  | _, _, _, _ => None
  end.
Fixpoint at_turn (h : H) : option nat :=
  match h with
  | [] => Some 0
  | (r, o) :: k => match at_turn k with Some i => follow i r o | None => None end
  end.

(* a filter that says what the certificate says it said *)
Definition answers_so (F : filter nat nat) : Prop :=
  forall h i, at_turn h = Some i -> F h (request (turn_at i)) = said (turn_at i).

Definition in_event (i y : nat) : bool :=
  existsb (fun e => (fst e =? i) && (snd e =? y)) (event c).
(* S: the transcripts whose last turn and output the event lists *)
Definition chosen (h : H) : bool :=
  match h with
  | [] => false
  | (_, o) :: k => match at_turn k with Some i => in_event i (label o) | None => false end
  end.

(* ---------- masses, summed forwards over the turns ---------- *)
Record move := { to : nat; goes : option nat; mass : Q }.
Definition chance_of (x : nat) (w : leaf) : Q := nth (Nat.min x (top c)) (snd (fst w)) 0%Q.
Definition moves (x : nat) (t : turn) : list move :=
  match said t with
  | Halt => [{| to := 0; goes := None; mass := 1 |}]
  | Refuse => map (fun n => {| to := fst n; goes := snd n; mass := 1 |}) (next t)
  | _ => map (fun w => {| to := fst (fst w); goes := turn_after t (fst (fst w));
                          mass := chance_of x w |}) (leaves_at t)
  end.

Fixpoint add_at (n : nat) (m : Q) (l : list Q) : list Q :=
  match l, n with
  | [], _ => []
  | p :: k, O => Qred (p + m) :: k
  | p :: k, S n' => p :: add_at n' m k
  end.
Definition send (i : nat) (p : Q) (reach : list Q) (m : move) : list Q :=
  match goes m with Some j => add_at (j - S i) (p * mass m) reach | None => reach end.
Definition ends (i : nat) (p : Q) (m : move) : list (nat * nat * Q) :=
  match goes m with Some _ => [] | None => [(i, to m, p * mass m)%Q] end.
(* every transcript that ends, by turn and output, with its probability *)
Fixpoint finals (x i : nat) (reach : list Q) (ts : list turn) : list (nat * nat * Q) :=
  match ts, reach with
  | t :: ts', p :: rest =>
      flat_map (ends i p) (moves x t) ++
      finals x (S i) (fold_left (send i p) (moves x t) rest) ts'
  | _, _ => []
  end.
Definition all_finals (x : nat) : list (nat * nat * Q) :=
  finals x 0 (match turns c with [] => [] | _ :: k => 1%Q :: map (fun _ => 0%Q) k end) (turns c).
Definition mass_of (ended : list (nat * nat * Q)) : Q :=
  sumQ (List.filter (fun f => in_event (fst (fst f)) (snd (fst f))) ended) snd.

(* ---------- the tests ---------- *)
Definition same (a b : Q) : bool := (Qnum a =? Qnum b)%Z && (Qden a =? Qden b)%positive.
Definition reduced (q : Q) : bool := same (Qred q) q.

(* a mechanism of node n: laws, nodes that come before n, a declared pair that is true *)
Definition bare (w : leaf) : row := (fst w, Menu []).
Definition related : list (nat * nat) :=
  neighbours c ++ map (fun p => (snd p, fst p)) (neighbours c).
Definition true_pair (o : offer) (p : nat * nat) : bool :=
  let gap w := posQ (chance_of (fst p) w - fst (declared o) * chance_of (snd p) w)%Q in
  Qle_bool (sumQ (leaves_of o) gap) (snd (declared o)).
Definition good_leaf (n : nat) (w : leaf) : bool :=
  (length (snd (fst w)) =? S (top c)) && (snd w <? n) && forallb reduced (snd (fst w)).
Definition good_offer (n : nat) (o : offer) : bool :=
  forallb (good_leaf n) (leaves_of o) && lawful (top c) (map bare (leaves_of o)) &&
  reduced (fst (declared o)) && reduced (snd (declared o)) &&
  Qle_bool 1 (fst (declared o)) && forallb (true_pair o) related.
Fixpoint good_nodes (ns : list (list offer)) : bool :=
  match ns with
  | [] => true
  | menu :: earlier => forallb (good_offer (length earlier)) menu && good_nodes earlier
  end.

(* turn i: its request is on the menu, and every output has a turn that comes later and fits *)
Definition leads (i n : nat) (j : option nat) : bool :=
  match j with
  | None => true
  | Some j => (i <? j) && (j <? length (turns c)) && (node (turn_at j) =? n)
  end.
Definition is_end (n : nat * option nat) : bool :=
  match snd n with None => true | Some _ => false end.
Definition covers (o : offer) (t : turn) : bool :=
  if list_eq_dec Nat.eq_dec (map fst (next t)) (map (fun w => fst (fst w)) (leaves_of o))
  then true else false.
Definition good_turn (i : nat) (t : turn) : bool :=
  match find_offer (node t) (request t) with
  | None => false
  | Some o =>
      match said t with
      | Halt => match next t with [] => true | _ => false end
      | Refuse => match next t with [(0, j)] => leads i (node t) j | _ => false end
      | Last => covers o t && forallb is_end (next t)
      | Continue => covers o t && forallb (fun w =>
          match lookup (fst (fst w)) (next t) with
          | Some j => leads i (snd w) j
          | None => false
          end) (leaves_of o)
      end
  end.
Fixpoint good_turns (i : nat) (ts : list turn) : bool :=
  match ts with [] => true | t :: ts' => good_turn i t && good_turns (S i) ts' end.

(* the filter's states appear in order, and each gives one answer to a request at a node *)
Fixpoint good_states (known : nat) (before ts : list turn) : bool :=
  match ts with
  | [] => true
  | t :: ts' =>
      let twin s := (node s =? node t) && (state s =? state t) && (request s =? request t) in
      let agrees s := negb (twin s) || if decision_eq (said s) (said t) then true else false in
      (state t <=? known) && forallb agrees before &&
      good_states (Nat.max known (S (state t))) (t :: before) ts'
  end.

(* every turn is reached, after the same refusals on every way, and asks for nothing refused *)
Definition member (n : nat) (l : list nat) : bool := existsb (Nat.eqb n) l.
Definition same_set (l m : list nat) : bool :=
  forallb (fun n => member n m) l && forallb (fun n => member n l) m.
Fixpoint note (n : nat) (seen : list nat) (known : list (option (list nat)))
    : option (list (option (list nat))) :=
  match known, n with
  | [], _ => None
  | k :: rest, S n' => option_map (cons k) (note n' seen rest)
  | None :: rest, O => Some (Some seen :: rest)
  | Some s :: rest, O => if same_set s seen then Some known else None
  end.
Definition note_next (i : nat) (t : turn) (seen : list nat) known (n : nat * option nat) :=
  match snd n, known with
  | Some j, Some known =>
      note (j - S i) (if runs (said t) then [] else request t :: seen) known
  | _, _ => known
  end.
Fixpoint good_refusals (i : nat) (known : list (option (list nat))) (ts : list turn) : bool :=
  match ts, known with
  | [], _ => true
  | t :: ts', Some seen :: rest =>
      negb (member (request t) seen) &&
      match fold_left (note_next i t seen) (next t) (Some rest) with
      | Some rest' => good_refusals (S i) rest' ts'
      | None => false
      end
  | _, _ => false
  end.

(* the event is the set of ends with P_x > e^eps P_x', in order *)
Definition wins (ready : Q * Q) (f : (nat * nat * Q) * (nat * nat * Q)) : option bool :=
  sign (epsilon c) ready (snd (fst f)) (- snd (snd f))%Q.
Fixpoint best_event (ready : Q * Q) fs (e : list (nat * nat)) : bool :=
  match fs with
  | [] => match e with [] => true | _ => false end
  | f :: fs' =>
      match wins ready f, e with
      | Some false, _ => best_event ready fs' e
      | Some true, (i, y) :: e' =>
          (i =? fst (fst (fst f))) && (y =? snd (fst (fst f))) && best_event ready fs' e'
      | _, _ => false
      end
  end.

(* databases, neighbours, budget *)
Definition in_range : bool :=
  match epsilon c with
  | Rational eps => reduced eps && Qle_bool 0 eps && Qle_bool eps 100000
  | Logarithm q => reduced q && Qle_bool 1 q
  end && reduced (delta c) && Qle_bool 0 (delta c) && Qle_bool (delta c) 1.
Definition equals (p q : nat * nat) : bool := (fst p =? fst q) && (snd p =? snd q).
Fixpoint good_neighbours (l : list (nat * nat)) : bool :=
  match l with
  | [] => true
  | p :: k =>
      negb (fst p =? snd p) && (fst p <=? top c) && (snd p <=? top c) &&
      negb (existsb (equals p) k) && negb (existsb (equals (snd p, fst p)) k) && good_neighbours k
  end.
Definition good_game : bool :=
  (1 <=? top c) && good_neighbours (neighbours c) && existsb (equals (pair c)) (related ++ promised c) &&
  good_nodes (nodes c).
Definition good_play : bool :=
  match nodes c, turns c with
  | _ :: earlier, t :: later =>
      (node t =? length earlier) && good_turns 0 (turns c) && good_states 0 [] (turns c) &&
      good_refusals 0 (Some [] :: map (fun _ => None) later) (turns c)
  | _, _ => false
  end.
(* the masses and the excess are as stated, the event is the best one, and the excess is positive *)
Definition good_masses (ended ended' : list (nat * nat * Q)) : bool :=
  same (fst (masses c)) (mass_of ended) && same (snd (masses c)) (mass_of ended') &&
  same (fst (claimed c)) (Qred (fst (masses c) - delta c)) &&
  same (snd (claimed c)) (Qred (- snd (masses c))).
Definition good_claim (ended ended' : list (nat * nat * Q)) : bool :=
  let ready := prepare (epsilon c) in
  match sign (epsilon c) ready (fst (claimed c)) (snd (claimed c)) with
  | Some true => best_event ready (combine ended ended') (event c)
  | _ => false
  end.
Definition good_end (ended ended' : list (nat * nat * Q)) : bool :=
  good_masses ended ended' && good_claim ended ended'.
Definition accepts : bool :=
  in_range && good_game && good_play &&
  good_end (all_finals (fst (pair c))) (all_finals (snd (pair c))).
End Certificate.

(* ---------- an example: the database is revealed, and delta is 1/2 ---------- *)
Definition reveals (d : Q) : certificate := {|
  top := 1; neighbours := [(0, 1)]; promised := [];
  nodes := [[{| asks := 1; leaves_of := [(2, [1; 0]%Q, 0); (3, [0; 1]%Q, 0)]; declared := (1, 1)%Q |}]; []];
  epsilon := Rational 1; delta := d; pair := (0, 1);
  turns := [{| node := 1; state := 0; request := 1; said := Last; next := [(2, None); (3, None)] |}];
  event := [(0, 2)]; masses := (1, 0)%Q; claimed := (Qred (1 - d), 0)%Q |}.
Example reveals_accepted : accepts (reveals (1 # 2)) = true /\ accepts (reveals 1) = false.
Proof. split; vm_compute; reflexivity. Qed.
