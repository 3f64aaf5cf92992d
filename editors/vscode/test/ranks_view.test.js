// SPDX-License-Identifier: MIT
'use strict';

const assert = require('node:assert');
const Module = require('node:module');
const test = require('node:test');
const tree = require('../src/tree');
const { RanksView } = require('../src/ranks_view');

// As mpipp/where answers for examples/halo.c.
const step = (text, kind, ranks, count, below, line = 0) => ({
  text, kind, path: line ? '/halo.c' : '', line, ranks, count, below,
});
const WHERE = {
  jobs: [{
    size: 4,
    stacks: {
      ranks: '0-3',
      count: 4,
      below: [
        step('halo.c:37 in main', 'program', '0-2', 3, [step('MPI_Allreduce', 'mpi', '0-2', 3, [])], 37),
        step('halo.c:35 in main', 'program', '3', 1, [
          step('MPI_Recv', 'mpi', '3', 1, [step('source 2, tag 2', 'arguments', '3', 1, [])]),
        ], 35),
      ],
    },
  }],
};

class EventEmitter {
  constructor() {
    this.fired = 0;
    this.event = () => {};
  }
  fire() { this.fired += 1; }
}

function editor() {
  const said = [];
  return {
    said,
    EventEmitter,
    TreeItem: class { constructor(label, state) { Object.assign(this, { label, state }); } },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    ThemeIcon: class { constructor(id) { this.id = id; } },
    Uri: { file: (path) => path },
    window: {
      setStatusBarMessage: (text) => said.push(text),
      showErrorMessage: (text) => said.push(text),
      showTextDocument: async (document) => said.push(document.content),
    },
    workspace: { openTextDocument: async (document) => document },
  };
}

function session(answers) {
  const asked = [];
  return {
    asked,
    type: 'mpipp',
    async customRequest(request, settings) {
      asked.push([request, settings]);
      if (answers[request] instanceof Error) throw answers[request];
      return answers[request];
    },
  };
}

test('a call and its arguments are one item', () => {
  const [first, second] = tree.items(WHERE);
  assert.deepStrictEqual([first.label, first.detail], ['halo.c:37 in main', 'ranks 0-2']);
  assert.deepStrictEqual([second.detail, second.children[0].label], ['rank 3', 'MPI_Recv(source 2, tag 2)']);
  assert.deepStrictEqual(second.children[0].children, []);
});

test('the view reads the ranks once for each stop', async () => {
  const shown = editor();
  const view = new RanksView(shown);
  const debugged = session({ 'mpipp/where': WHERE });
  assert.deepStrictEqual(await view.getChildren(), []);
  view.follow(debugged);
  const roots = await view.getChildren();
  assert.strictEqual((await view.getChildren()).length, 2);
  assert.strictEqual(debugged.asked.length, 1);
  view.heard(debugged, { type: 'event', event: 'stopped' });
  await view.getChildren();
  assert.strictEqual(debugged.asked.length, 2);
  view.heard(debugged, { type: 'response', command: 'threads' });
  view.heard(session({}), { type: 'event', event: 'stopped' });
  await view.getChildren();
  assert.strictEqual(debugged.asked.length, 2);
  const item = view.getTreeItem(roots[0]);
  assert.strictEqual(item.command.arguments[0], '/halo.c');
  assert.strictEqual(item.command.arguments[1].selection.start.line, 36);
  assert.strictEqual(item.state, 2);
});

test('buttons ask the session, and show its answers and errors', async () => {
  const shown = editor();
  const view = new RanksView(shown);
  await view.why();
  view.follow(session({
    'mpipp/focus': { focus: '0-2' },
    'mpipp/why': { text: ['deadlock: ...', '  rank 2 waits'] },
    'mpipp/where': new Error('rank 1 runs: pause it first'),
  }));
  await view.focus('0-2');
  await view.why();
  const [only] = await view.getChildren();
  assert.strictEqual(only.label, 'rank 1 runs: pause it first');
  assert.deepStrictEqual(shown.said, [
    'mpipp: no MPI program is debugged', 'mpipp: focus 0-2', 'deadlock: ...\n  rank 2 waits',
  ]);
  view.follow(session({ 'mpipp/focus': new Error('There is no rank 9') }));
  await view.focus('9');
  assert.strictEqual(shown.said.at(-1), 'mpipp: There is no rank 9');
  view.follow({ type: 'cppdbg' });
  assert.deepStrictEqual(await view.getChildren(), []);
});

test('the extension registers what its description declares', () => {
  const declared = require('../package.json').contributes;
  const commands = [];
  const debug = [];
  let start = null;
  const nothing = { dispose() {} };
  const vscode = {
    ...editor(),
    DebugAdapterExecutable: class { constructor(command, words) { Object.assign(this, { command, words }); } },
    commands: { registerCommand: (name) => (commands.push(name), nothing) },
    debug: {
      activeDebugSession: undefined,
      registerDebugAdapterDescriptorFactory: (type, factory) => { debug.push(type); start = factory; return nothing; },
      registerDebugAdapterTrackerFactory: (type) => (debug.push(type), nothing),
      onDidChangeActiveDebugSession: () => nothing,
    },
    workspace: { getConfiguration: () => ({ get: () => '/opt/mpipp' }) },
  };
  let view = '';
  vscode.window.registerTreeDataProvider = (id) => { view = id; return nothing; };
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
  try {
    require('../src/extension').activate({ subscriptions: [] });
  } finally {
    Module._load = load;
  }
  assert.deepStrictEqual(commands.sort(), declared.commands.map((one) => one.command).sort());
  assert.deepStrictEqual([view, ...new Set(debug)], ['mpipp.ranks', 'mpipp']);
  const words = start.createDebugAdapterDescriptor();
  assert.deepStrictEqual([words.command, words.words], ['/opt/mpipp', ['dap']]);
});

test('the settings are those of the adapter', () => {
  const fs = require('node:fs');
  const path = require('node:path');
  const source = fs.readFileSync(path.join(__dirname, '../../../mpipp/dap/arguments.py'), 'utf8');
  const [, launch, attach] = source.split(/\ndef (?:launch|attach)\(/);
  const known = (text) => new Set([...text.matchAll(/arguments(?:\.get\(|, )"(\w+)"/g)].map((one) => one[1]));
  const declared = require('../package.json').contributes.debuggers[0].configurationAttributes;
  assert.deepStrictEqual(new Set(Object.keys(declared.launch.properties)), known(launch));
  assert.deepStrictEqual(new Set(Object.keys(declared.attach.properties)), known(attach));
});
