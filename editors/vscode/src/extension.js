// SPDX-License-Identifier: MIT
// Starts `mpipp dap` for the debug type mpipp, and shows the ranks of its session.
'use strict';

const vscode = require('vscode');
const { RanksView } = require('./ranks_view');

function activate(context) {
  const view = new RanksView(vscode);
  const start = {
    createDebugAdapterDescriptor() {
      const command = vscode.workspace.getConfiguration('mpipp').get('command');
      return new vscode.DebugAdapterExecutable(command, ['dap']);
    },
  };
  const tracker = {
    createDebugAdapterTracker(session) {
      return { onDidSendMessage: (message) => view.heard(session, message) };
    },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('mpipp', start),
    vscode.debug.registerDebugAdapterTrackerFactory('mpipp', tracker),
    vscode.debug.onDidChangeActiveDebugSession((session) => view.follow(session)),
    vscode.window.registerTreeDataProvider('mpipp.ranks', view),
    vscode.commands.registerCommand('mpipp.focus', (item) => view.focus(item.ranks)),
    vscode.commands.registerCommand('mpipp.focusAll', () => view.focus('all')),
    vscode.commands.registerCommand('mpipp.why', () => view.why()),
    vscode.commands.registerCommand('mpipp.refresh', () => view.refresh()),
  );
  view.follow(vscode.debug.activeDebugSession);
}

function deactivate() {}

module.exports = { activate, deactivate };
