// SPDX-License-Identifier: MIT
// The view of ranks: asks the session when it is shown, after stops. The editor's objects are
// passed in, so that the tests need no editor.
'use strict';

const tree = require('./tree');

class RanksView {
  /** @param editor the module `vscode`, or a part of it. */
  constructor(editor) {
    this._editor = editor;
    this._changed = new editor.EventEmitter();
    this.onDidChangeTreeData = this._changed.event;
    this._session = null;
    this._items = null; // null: to be read
  }

  /** The session that the view shows; null for none. */
  follow(session) {
    this._session = session && session.type === 'mpipp' ? session : null;
    this.refresh();
  }

  /** Read again when the editor asks. */
  refresh() {
    this._items = null;
    this._changed.fire(undefined);
  }

  /** A message of the adapter: ranks have stopped, run, or ended. */
  heard(session, message) {
    const events = ['stopped', 'continued', 'thread', 'mpipp/stops'];
    if (session === this._session && message.type === 'event' && events.includes(message.event)) {
      this.refresh();
    }
  }

  async getChildren(item) {
    if (item) return item.children;
    if (!this._session) return [];
    if (this._items === null) {
      try {
        this._items = tree.items(await this._session.customRequest('mpipp/where'));
      } catch (error) {
        return [{ label: tree.sentence(error), detail: '', ranks: '', kind: 'state', children: [] }];
      }
    }
    return this._items;
  }

  getTreeItem(item) {
    const { TreeItem, TreeItemCollapsibleState, ThemeIcon, Uri } = this._editor;
    const state = item.children.length ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
    const shown = new TreeItem(item.label, state);
    shown.description = item.detail;
    shown.iconPath = new ThemeIcon(tree.icon(item.kind));
    shown.contextValue = item.ranks ? 'ranks' : '';
    if (item.path && item.line) {
      const place = { line: item.line - 1, character: 0 };
      shown.tooltip = `${item.path}:${item.line}`;
      shown.command = {
        command: 'vscode.open',
        title: 'Show the line',
        arguments: [Uri.file(item.path), { selection: { start: place, end: place } }],
      };
    }
    return shown;
  }

  /** Choose the ranks that continue, step and pause are for. */
  async focus(ranks) {
    const answer = await this._ask('mpipp/focus', { ranks });
    if (answer) this._editor.window.setStatusBarMessage(`mpipp: focus ${answer.focus}`, 5000);
  }

  /** Show the cause of a hang as a document. */
  async why() {
    const answer = await this._ask('mpipp/why', {});
    if (!answer) return;
    const content = tree.explanation(answer);
    const document = await this._editor.workspace.openTextDocument({ content });
    await this._editor.window.showTextDocument(document, { preview: true });
  }

  async _ask(request, settings) {
    if (!this._session) {
      this._editor.window.showErrorMessage('mpipp: no MPI program is debugged');
      return null;
    }
    try {
      return await this._session.customRequest(request, settings);
    } catch (error) {
      this._editor.window.showErrorMessage(`mpipp: ${tree.sentence(error)}`);
      return null;
    }
  }
}

module.exports = { RanksView };
