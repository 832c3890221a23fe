// The server for coding agents that the extension offers: it starts as the editor would start it, and answers.
import * as assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as vscode from 'vscode';
import type { AgentsApi } from '../../client/src/features/agents';
import { activateExtension } from './support';

/** The result of one request after the opening ones, as a client sends it over standard input. */
async function ask(
  { command, args, env }: { command: string; args: readonly string[]; env: Readonly<Record<string, string>> },
  method: string,
  params: object,
): Promise<Record<string, unknown>> {
  const server = spawn(command, [...args], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  try {
    return await new Promise((resolve, reject) => {
      let rest = '';
      let errors = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      server.on('error', reject).on('exit', (code) => reject(new Error(`ended with ${code}: ${errors}`)));
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop()!;
        for (const line of lines) {
          const { id, result } = JSON.parse(line) as { id?: number; result?: Record<string, unknown> };
          if (id === 2) resolve(result!);
        }
      });
      const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      for (const message of [
        { id: 1, method: 'initialize', params: opening },
        { method: 'notifications/initialized' },
        { id: 2, method, params },
      ])
        server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    });
  } finally {
    server.removeAllListeners('exit');
    server.kill();
  }
}

describe('the server for agents', () => {
  it('is offered for each folder where the editor has agents, and answers about its files @smoke', async () => {
    const { agents } = (await activateExtension()) as unknown as { readonly agents: AgentsApi };
    const [major, minor] = vscode.version.split('.').map(Number) as [number, number];
    assert.equal(agents.offered, major > 1 || minor >= 101, `offered in ${vscode.version}`);
    const [server] = agents.servers();
    assert.ok(server);
    assert.equal(agents.servers().length, vscode.workspace.workspaceFolders!.length);
    const file = 'samples/transpose/unpadded-tile.cu';
    const result = await ask(server, 'tools/call', { name: 'check', arguments: { paths: [file] } });
    assert.match(JSON.stringify(result), /unpadded-tile\.cu:\d+ warning cuda\/bank-conflict/);
  }).timeout(90_000);
});
