// A budget in JavaScript.  It is right; with the word "refund" it pays back what has failed.
//
//   filterproof audit --command "node budget.js" --spend spend               no violation found
//   filterproof audit --command "node budget.js refund" --spend spend --fails cancel
//                                                                            VIOLATED
const left = [];
const refund = process.argv[2] === "refund";

const calls = {
  open: ({ epsilon, delta }) => ({ id: left.push({ epsilon, delta }) - 1 }),
  spend: ({ id, epsilon, delta }) => {
    const granted = epsilon <= left[id].epsilon && delta <= left[id].delta;
    if (granted) left[id] = { epsilon: left[id].epsilon - epsilon, delta: left[id].delta - delta };
    return { granted };
  },
  cancel: ({ id, epsilon, delta }) => {
    if (refund) left[id] = { epsilon: left[id].epsilon + epsilon, delta: left[id].delta + delta };
    return {};
  },
};

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const asked = JSON.parse(line);
    console.log(JSON.stringify(calls[asked.call](asked)));
  });
