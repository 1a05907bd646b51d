'use strict';
// The page is complete without this script; it adds arrow keys, the path panel and the buttons.

for (const button of document.querySelectorAll('[data-theme-button]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const root = document.documentElement;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = root.dataset.theme || (dark ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  });
}

const visibleRows = (tree) =>
  [...tree.querySelectorAll('.row')].filter((row) => {
    for (let at = row.closest('li').parentElement; at !== tree; at = at.parentElement)
      if (at.tagName === 'DETAILS' && !at.open) return false;
    return true;
  });

function choose(section, row) {
  for (const other of section.querySelectorAll('.row.chosen')) other.classList.remove('chosen');
  row.classList.add('chosen');
  const panel = section.querySelector('.path');
  const list = panel.querySelector('dl');
  list.textContent = '';
  for (const [name, value] of JSON.parse(row.dataset.facts)) {
    const dt = document.createElement('dt');
    const dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    dd.className = 'math';
    list.append(dt, dd);
  }
  panel.querySelector('.transcript').textContent = transcript(section, row);
}

function transcript(section, row) {
  const parts = [];
  const tree = section.querySelector('.tree');
  for (let at = row.closest('li'); at && tree.contains(at); at = at.parentElement.closest('li')) {
    const own = at.querySelector('.row');
    if (own.dataset.says) parts.unshift(own.dataset.says);
  }
  return parts.join(' ');
}

function step(tree, row, key) {
  const rows = visibleRows(tree);
  const at = rows.indexOf(row);
  const details = row.tagName === 'SUMMARY' ? row.parentElement : null;
  const parent = row.closest('li').parentElement.closest('li');
  if (key === 'ArrowDown') return rows[at + 1];
  if (key === 'ArrowUp') return rows[at - 1];
  if (key === 'Home') return rows[0];
  if (key === 'End') return rows[rows.length - 1];
  if (key === 'ArrowRight' && details) {
    if (details.open) return rows[at + 1];
    details.open = true;
    return row;
  }
  if (key === 'ArrowLeft') {
    if (details && details.open) { details.open = false; return row; }
    return parent ? parent.querySelector('.row') : row;
  }
  return undefined;
}

for (const section of document.querySelectorAll('section[data-violation]')) {
  const tree = section.querySelector('.tree');
  tree.addEventListener('keydown', (event) => {
    const row = event.target.closest('.row');
    const next = row && step(tree, row, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  tree.addEventListener('focusin', (event) => {
    const row = event.target.closest('.row');
    if (row) choose(section, row);
  });
  tree.addEventListener('click', (event) => {
    const row = event.target.closest('.row');
    if (row) row.focus();
  });
  section.querySelector('.tools').hidden = false;
  section.querySelector('[data-open]').addEventListener('click', () => {
    for (const one of tree.querySelectorAll('details')) one.open = true;
  });
  section.querySelector('[data-close]').addEventListener('click', () => {
    for (const one of tree.querySelectorAll('details')) one.open = false;
  });
  section.querySelector('[data-winning]').addEventListener('click', () => {
    for (const one of tree.querySelectorAll('details')) one.open = !!one.querySelector('.in-s');
  });
  const first = tree.querySelector('.in-s') || tree.querySelector('.row');
  if (first) choose(section, first);
}

// --- the certificates are checked again, here, by the checker that is proved in Coq ---

function recheck(section) {
  const told = section.querySelector('.recheck[data-filter]');
  const link = section.querySelector('a[download]');
  if (!told || !link || typeof filterproofVerdict !== 'function') return;
  const text = atob(link.getAttribute('href').split(',')[1]);
  const said = filterproofVerdict(text);
  told.classList.add(said === 'accepted' ? 'accepted' : 'refused');
  told.textContent = said === 'accepted' ? accepted(JSON.parse(text)) : refused(said);
  if (said !== 'accepted') warn(told);
}

// what the pair is promised: its own promise, where the game has promises
function promised(it) {
  const own = (it.game.promises || []).find(([x, z]) => x === it.pair[0] && z === it.pair[1]);
  return own ? `${own[2]}, ${own[3]}` : `${it.epsilon}, ${it.delta}`;
}

const accepted = (it) =>
  `Checked again in this browser: ${it.target.split(' --')[0]} is not (${promised(it)})-DP for the ` +
  `databases ${it.pair.join(' and ')} if it gives the recorded answers. The checker is ` +
  'extracted from a proof in Coq (accepted_not_private); reading the JSON and drawing this page ' +
  'are not part of what is proved.';

const refused = (said) =>
  `This report is not to be trusted: its certificate is ${said}. ` +
  'It was changed after it was written, or it is damaged.';

// what is not to be trusted says so at the top of the page, before anything else is read
function warn(told) {
  const again = told.cloneNode(true);
  again.setAttribute('role', 'alert');
  document.querySelector('main').prepend(again);
}

for (const section of document.querySelectorAll('section[data-violation]')) recheck(section);
