// Reads the vectors of `filterproof vectors DIR` and checks them without any of filterproof's code.
//
//   node examples/vectors.js vectors/
//
// Plays: from the game and the answers at every partial transcript it recomputes, by backward
// induction in exact arithmetic, what the strongest adaptive adversary reaches, and compares that
// with the worst H on file.  Inputs: it answers every sequence of spends with a budget of BigInts.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createHash } = require('node:crypto');

// --- rationals ---------------------------------------------------------------------------------
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a < 0n ? -a : a; };
const make = (p, q) => { const g = gcd(p, q) * (q < 0n ? -1n : 1n) || 1n; return [p / g, q / g]; };
const read = (text) => { const [p, q = '1'] = text.split('/'); return make(BigInt(p), BigInt(q)); };
const plus = (a, b) => make(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
const times = (a, b) => make(a[0] * b[0], a[1] * b[1]);
const minus = (a) => [-a[0], a[1]];
const less = (a, b) => a[0] * b[1] < b[0] * a[1];
const show = (a) => (a[1] === 1n ? `${a[0]}` : `${a[0]}/${a[1]}`);
const ZERO = [0n, 1n];
const ONE = [1n, 1n];

// --- a + b*e^epsilon ---------------------------------------------------------------------------
// e^(p/q) as an enclosure: Taylor's series with integers scaled by 2^bits, rounded both ways.
function enclosure([p, q], bits) {
  const one = 1n << BigInt(bits);
  let lower = 0n, upper = 0n, low = one, high = one, k = 0n;
  while (high > 1n || k * q < 2n * p) {
    lower += low; upper += high; k += 1n;
    low = (low * p) / (q * k);
    high = (high * p) / (q * k) + 1n;
  }
  return [make(lower, one), make(upper + 2n * high, one)];
}

function exponential(text) {
  const log = /^log\((.*)\)$/.exec(text);
  if (log) return () => [read(log[1]), read(log[1])];
  const epsilon = read(text);
  return epsilon[0] === 0n ? () => [ONE, ONE] : (bits) => enclosure(epsilon, bits);
}

function sign([a, b], exp) {
  for (let bits = 64; ; bits *= 2) {
    const [low, high] = exp(bits).map((e) => plus(a, times(b, e)));
    if (low[0] > 0n && high[0] > 0n) return 1;
    if (low[0] < 0n && high[0] < 0n) return -1;
    if (low[0] === 0n && high[0] === 0n) return 0;
    if (a[0] === 0n && b[0] === 0n) return 0;
  }
}
const add = (v, w) => [plus(v[0], w[0]), plus(v[1], w[1])];
const greater = (v, w, exp) => sign([plus(v[0], minus(w[0])), plus(v[1], minus(w[1]))], exp) > 0;

// --- the strongest adversary against a table of answers ----------------------------------------
function values(game, test, pairs, exp) {
  const key = (after, refused, request) => JSON.stringify([after, refused, request]);
  const said = new Map(test.answers.filter((one) => one.round > 0)
    .map((one) => [key(one.after, one.refused ?? [], one.request), one.decision]));
  const payoff = (mass) => {
    const value = [mass[0], minus(mass[1])];
    return sign(value, exp) > 0 ? value : [ZERO, ZERO];
  };

  function value(pair, node, after, mass, refused) {
    let best = payoff(mass);
    if (mass[0][0] === 0n) return best;
    for (const [request, mechanism] of Object.entries(game.nodes[node])) {
      if (refused.includes(request)) continue;
      const found = sent(pair, node, after, mass, refused, request, mechanism);
      if (greater(found, best, exp)) best = found;
    }
    return best;
  }

  function sent(pair, node, after, mass, refused, request, mechanism) {
    const decision = said.get(key(after, refused, request));
    if (decision === undefined) throw new Error(`no answer on file: ${test.id} ${request}`);
    if (decision === 'halt') return payoff(mass);
    if (decision === 'refuse') return value(pair, node, after, mass, [...refused, request]);
    let total = [ZERO, ZERO];
    for (const [y, row] of Object.entries(mechanism.law)) {
      const next = pair.map((x, i) => times(mass[i], read(row[x])));
      total = add(total, decision === 'last' ? payoff(next)
        : value(pair, mechanism.after[y], [...after, [request, y]], next, []));
    }
    return total;
  }

  if (test.answers[0].decision !== 'continue') return pairs.map(() => [ZERO, ZERO]);
  return pairs.map((pair) => value(pair, game.nodes.length - 1, [], [ONE, ONE], []));
}

// what each pair is promised: its own epsilon and delta, or those of the test
function promises(game, test) {
  const both = game.neighbours.flatMap(([x, z]) => [[x, z], [z, x]]);
  return game.promises ?? both.map((pair) => [...pair, test.epsilon, test.delta]);
}

const over = (value, delta, exp) => sign([plus(value[0], minus(read(delta))), value[1]], exp) > 0;

function checkPlay(games, test) {
  const game = games.get(test.game);
  const judged = promises(game, test).map(([x, z, epsilon, delta]) => {
    const exp = exponential(epsilon);
    const [found] = values(game, test, [[x, z]], exp);
    return { pair: [x, z], found, exp, broken: over(found, delta, exp) };
  });
  const own = test.pair && judged.find(({ pair }) => `${pair}` === `${test.pair}`);
  const { found, exp } = own ?? judged.reduce((v, w) => (greater(w.found, v.found, v.exp) ? w : v));
  const filed = test.worst.map(read);
  const gap = [plus(found[0], minus(filed[0])), plus(found[1], minus(filed[1]))];
  if (sign(gap, exp) !== 0) return `worst H is ${found.map(show)}, on file is ${test.worst}`;
  const broken = judged.some((one) => one.broken);
  return broken === test.flags.includes('violated') ? null : 'the flag "violated" is wrong';
}

// --- budgets -----------------------------------------------------------------------------------
function amount(text) { // a number taken at its word, or null
  const match = /^(-?)(\d+)(?:\/(\d+)|\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!match) return null;
  const [, sign_, whole, below, decimals = '', exponent = '0'] = match;
  const value = make(BigInt(whole + decimals), below ? BigInt(below) : 10n ** BigInt(decimals.length));
  const ten = BigInt(10) ** BigInt(Math.abs(Number(exponent)));
  const scaled = times(value, Number(exponent) < 0 ? [1n, ten] : [ten, 1n]);
  return sign_ ? minus(scaled) : scaled;
}

function checkInput(test) {
  const limits = test.budget.map(amount);
  let spent = [ZERO, ZERO];
  const answers = test.spends.map(({ epsilon, delta }) => {
    const asked = [amount(epsilon), amount(delta)];
    if (asked.some((one) => one === null || one[0] < 0n)) return 'rejected';
    const total = asked.map((one, i) => plus(spent[i], one));
    if (total.some((one, i) => less(limits[i], one))) return 'refused';
    spent = total; // charged now, before the mechanism runs: whether it fails does not matter
    return 'granted';
  });
  return `${answers}` === `${test.answers}` ? null : `answered ${answers}, on file is ${test.answers}`;
}

// --- all files ---------------------------------------------------------------------------------
const folder = process.argv[2];
const load = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'ascii'));
const games = new Map(load('games.json').cases.map((one) => [one.name, one.game]));
let checked = 0;
const wrong = [];
for (const { name, sha256, schema } of load('manifest.json').cases) {
  const bytes = fs.readFileSync(path.join(folder, name));
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) wrong.push(`${name}: digest`);
  if (schema === 'filterproof.vectors.games') continue;
  const check = schema === 'filterproof.vectors.inputs' ? checkInput : (t) => checkPlay(games, t);
  for (const test of load(name).cases) {
    checked += 1;
    const why = check(test);
    if (why) wrong.push(`${test.id}: ${why}`);
  }
}
for (const line of wrong) console.log(line);
console.log(`${checked} cases checked, ${wrong.length} wrong`);
process.exitCode = wrong.length ? 1 : 0;
