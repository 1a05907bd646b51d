// A sound privacy filter in JavaScript: it adds up what the mechanisms declare.
//
//   filterproof audit --command "node examples/filter.js"
//
// Rationals travel as "p/q" strings, so BigInt keeps everything exact.  The state is a string of
// our own making: the product of the odds spent so far and the sum of the deltas.
'use strict';

const gcd = (a, b) => (b ? gcd(b, a % b) : a < 0n ? -a : a);
const make = (p, q) => { const g = gcd(p, q) || 1n; return { p: p / g, q: q / g }; };
const read = (text) => { const [p, q] = text.split('/'); return make(BigInt(p), BigInt(q ?? 1)); };
const show = (r) => (r.q === 1n ? `${r.p}` : `${r.p}/${r.q}`);
const times = (a, b) => make(a.p * b.p, a.q * b.q);
const plus = (a, b) => make(a.p * b.q + b.p * a.q, a.q * b.q);
const atMost = (a, b) => a.p * b.q <= b.p * a.q;

function decide({ state, step, exp_epsilon, delta }) {
  const [odds, spentDelta] = state.split(' ').map(read);
  const [askedOdds, askedDelta] = step.mechanism.declared.map(read);
  const next = [times(odds, askedOdds), plus(spentDelta, askedDelta)];
  // exp_epsilon encloses e^epsilon: staying below its lower end is staying within the budget.
  const fits = atMost(next[0], read(exp_epsilon[0])) && atMost(next[1], read(delta));
  return fits ? { decision: 'continue', state: next.map(show).join(' ') }
              : { decision: 'halt', state };
}

function answer(message) {
  switch (message.call) {
    case 'hello': return { protocol: 'filterproof.command', version: 1, markov: true };
    case 'start': return { state: '1 0' };
    case 'decide': return decide(message);
    default: return { error: `unknown call ${message.call}` };
  }
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  console.log(JSON.stringify({ id: message.id, ...answer(message) }));
});
