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
