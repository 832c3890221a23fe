// The server as an editor starts it: a process that talks over standard input and output.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { bundleOf } from '../support/bundles';
import { connectedTo } from './support';

const command = [bundleOf('server')];

describe('the server process', function () {
  this.timeout(60_000);

  it('says how it wants to be started', () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8', input: '' });
    assert.equal(status, 2);
    assert.match(stderr, /--stdio, --node-ipc/);
    assert.equal(stdout, '');
  });

  it('reads files of the disk, answers over stdio as `warplens server`, and ends on request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-server-'));
    const server = spawn(bundleOf('cli'), ['server', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => server.on('exit', resolve));
    try {
      writeFileSync(join(folder, 'step.h'), '#define STEP 16\n');
      const connection = await connectedTo(server, folder);
      const uri = pathToFileURL(join(folder, 'copy.cu')).href;
      await connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: {
          uri,
          languageId: 'cuda-cpp',
          version: 1,
          text: '#include "step.h"\n__global__ void k(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x * STEP]; }\n',
        },
      });
      const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
      assert.deepEqual(report.kind === 'full' && report.items.map((each) => each.code), ['cuda/uncoalesced-access']);
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      assert.equal(await ended, 0);
    } finally {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('keeps a header current for an editor that watches nothing and cannot be made to ask again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-server-'));
    const server = spawn(process.execPath, [...command, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
    const launch = (block: number): string =>
      `#include "k.cuh"\nint main() { float *a; tile<<<64, dim3(${block}, 4)>>>(a); }\n`;
    const kernel =
      '__global__ void tile(float *a) {\n  __shared__ float t[64][64];\n' +
      '  t[threadIdx.x][threadIdx.y] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = t[threadIdx.y][threadIdx.x];\n}\n';
    try {
      writeFileSync(join(folder, 'main.cu'), launch(32));
      const connection = createProtocolConnection(
        new StreamMessageReader(server.stdout),
        new StreamMessageWriter(server.stdin),
      );
      let shown: readonly string[] = [];
      connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
        if (uri === uriOf('k.cuh')) shown = diagnostics.map(({ message }) => String(message));
      });
      connection.listen();
      const until = async (pattern: RegExp): Promise<void> => {
        for (let tries = 0; tries < 200 && !shown.some((message) => pattern.test(message)); tries++)
          await new Promise((resolve) => setTimeout(resolve, 50));
        assert.match(shown.join('\n'), pattern);
      };
      const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
        processId: process.pid,
        rootUri: pathToFileURL(folder).href,
        // As Neovim 0.10 on Linux says.
        capabilities: { textDocument: { diagnostic: {}, publishDiagnostics: {} }, workspace: {} },
        workspaceFolders: null,
      });
      assert.equal(capabilities.diagnosticProvider, undefined);
      await connection.sendNotification(InitializedNotification.type, {});
      const open = (name: string, text: string): Promise<void> =>
        connection.sendNotification(DidOpenTextDocumentNotification.type, {
          textDocument: { uri: uriOf(name), languageId: 'cuda', version: 1, text },
        });
      await open('k.cuh', kernel);
      await until(/^32-way bank conflict/);
      // Typed in the other file, and then written behind the editor's back.
      await open('main.cu', launch(32));
      await connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uriOf('main.cu'), version: 2 },
        contentChanges: [{ text: launch(16) }],
      });
      await until(/^16-way bank conflict/);
      await connection.sendNotification(DidCloseTextDocumentNotification.type, {
        textDocument: { uri: uriOf('main.cu') },
      });
      await until(/^32-way bank conflict/);
      writeFileSync(join(folder, 'main.cu'), launch(8));
      await until(/^8-way bank conflict/);
      rmSync(join(folder, 'main.cu'));
      writeFileSync(join(folder, 'other.cu'), launch(16));
      await until(/^16-way bank conflict/);
    } finally {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
