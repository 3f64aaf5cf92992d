// SPDX-License-Identifier: MIT
// A session with the test client of the protocol's authors, the npm package
// @vscode/debugadapter-testsupport. tests/dap/test_clients.py starts it with a configuration.
'use strict';

const assert = require('node:assert');
const { RanksView } = require('../../editors/vscode/src/ranks_view');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

async function main() {
  const { server, launch, source, line } = JSON.parse(process.argv[2]);
  const client = new DebugClient(server[0], server[1], 'mpipp', { env: process.env });
  client.defaultTimeout = 100000; // milliseconds: the machine may be busy
  await client.start();

  // Sets a breakpoint, and expects the stop there.
  await client.hitBreakpoint(launch, { path: source, line });
  const { threads } = (await client.threadsRequest()).body;
  assert.deepStrictEqual(
    threads.map((thread) => thread.name).sort(),
    ['rank 0: relax at ring.c:9', 'rank 1: relax at ring.c:9'],
  );
  const [frame] = (await client.stackTraceRequest({ threadId: threads[1].id })).body.stackFrames;
  const value = await client.evaluateRequest({ expression: 'n + 1', frameId: frame.id });
  assert.strictEqual(value.body.result, '11');
  const { ranks } = (await client.customRequest('mpipp/focus', { ranks: 'all' })).body;
  assert.strictEqual(ranks, '0-1');

  // The view of the extension for Visual Studio Code, on this session.
  const answer = async (request, settings) => (await client.customRequest(request, settings)).body;
  const view = new RanksView({ EventEmitter: class { fire() {} } });
  view.follow({ type: 'mpipp', customRequest: answer });
  const [main] = await view.getChildren();
  assert.deepStrictEqual([main.label, main.detail], ['ring.c:24 in main', 'ranks 0-1']);
  assert.deepStrictEqual([main.path, main.line], [source, 24]);
  assert.deepStrictEqual(main.children.map((one) => one.label), ['ring.c:9 in relax']);

  await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  await Promise.all([
    client.assertOutput('stdout', 'rank '),
    client.continueRequest({ threadId: threads[0].id }),
    client.waitForEvent('terminated'),
  ]);
  await client.stop();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
