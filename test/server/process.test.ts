// The server as an editor starts it: a process that talks over standard input and output.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  DocumentDiagnosticRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { bundleOf } from '../support/bundles';

const command = [bundleOf('server')];

describe('the server process', function () {
  this.timeout(60_000);

  it('says how it wants to be started', () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, command, { encoding: 'utf8', input: '' });
    assert.equal(status, 2);
    assert.match(stderr, /--stdio, --node-ipc/);
    assert.equal(stdout, '');
  });

  it('reads files of the disk, answers over stdio, and ends on request', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-server-'));
    const server = spawn(process.execPath, [...command, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => {
      server.on('exit', resolve);
    });
    try {
      writeFileSync(join(folder, 'step.h'), '#define STEP 16\n');
      const connection = createProtocolConnection(
        new StreamMessageReader(server.stdout),
        new StreamMessageWriter(server.stdin),
      );
      connection.listen();
      const uri = pathToFileURL(join(folder, 'copy.cu')).href;
      await connection.sendRequest(InitializeRequest.type, {
        processId: process.pid,
        rootUri: pathToFileURL(folder).href,
        capabilities: { textDocument: { diagnostic: {} } },
        workspaceFolders: null,
      });
      await connection.sendNotification(InitializedNotification.type, {});
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
});
