// SPDX-License-Identifier: MIT
// The merged stacks of `mpipp/where` as the items of a view. Nothing here knows the editor.
'use strict';

/**
 * An item of the view: steps that the same ranks have, and the items below.
 * @typedef {{label: string, ranks: string, count: number, detail: string, path: string,
 *            line: number, kind: string, children: Item[]}} Item
 */

/** The items of all jobs in the answer to `mpipp/where`. */
function items(where) {
  const jobs = where.jobs || [];
  const found = jobs.flatMap((job) => below(job.stacks));
  return where.without_rank ? [...found, ...below(where.without_rank)] : found;
}

function below(tree) {
  return tree.below.map(item);
}

// A call of MPI and its arguments are one item. Steps that the same ranks have, one after the
// other, are one item each: a click on it shows its line.
function item(step) {
  let inner = step.below;
  let label = step.text;
  const [first] = inner;
  if (step.kind === 'mpi' && inner.length === 1 && first.kind === 'arguments' &&
      first.ranks === step.ranks) {
    label = `${step.text}(${first.text})`;
    inner = first.below;
  }
  return {
    label,
    ranks: step.ranks,
    count: step.count,
    detail: described(step.ranks, step.count),
    path: step.path,
    line: step.line,
    kind: step.kind,
    children: inner.map(item),
  };
}

/** "rank 3", "ranks 0-3,8". */
function described(ranks, count) {
  return count === 1 ? `rank ${ranks}` : `ranks ${ranks}`;
}

/** The name of an icon for a kind of step. */
function icon(kind) {
  const icons = { mpi: 'sync', arguments: 'sync', library: 'library', state: 'debug-pause' };
  return icons[kind] || 'debug-stackframe';
}

/** The text of `mpipp/why`, and of the ranks that it leaves out. */
function explanation(why) {
  return (why.text || []).join('\n');
}

/** A sentence for an error of a request: the adapter's, or what the editor says. */
function sentence(error) {
  return String((error && error.message) || error || 'mpipp does not answer');
}

module.exports = { items, described, icon, explanation, sentence };
