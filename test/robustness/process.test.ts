// The server as a process among bad neighbours: an editor that dies, headers that are none, a file that takes for ever.
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { wholeMessages } from '../../server/src/lsp/framing';
import { inTime } from '../support/depth';
import { bundleOf } from '../support/bundles';

const kernel = '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n';
/** Templates that stand for each other take the analysis longer than anybody waits. */
const slow = `${Array.from({ length: 4000 }, (_, i) => `${kernel.replace(' k(', ` k${i}(`)}void h${i}(float *a) { k${i}<<<1, 256>>>(a); }\n`).join('')}`;

describe('the server process', function () {
  this.timeout(120_000);
  let server: ChildProcessWithoutNullStreams;
  let ended: Promise<number | null>;
  beforeEach(() => {
    server = spawn(process.execPath, [bundleOf('server'), '--stdio'], { stdio: 'pipe' });
    server.stdin.on('error', () => {
      // it ends before we do
    });
    ended = new Promise((resolve) => server.on('exit', resolve));
  });
  afterEach(() => server.kill('SIGKILL'));

  const frame = (message: object): string => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
  const initialize = (processId: number): object => ({
    id: 1,
    method: 'initialize',
    params: {
      processId,
      capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
      workspaceFolders: null,
      rootUri: null,
    },
  });
  /** Resolves when the text has come from the server. */
  const said = (piece: string): Promise<void> =>
    new Promise((resolve) => {
      let all = '';
      server.stdout.on('data', (chunk: Buffer) => {
        all += chunk.toString();
        if (all.includes(piece)) resolve();
      });
    });

  it('ends when the editor has gone, in the middle of an analysis', async () => {
    const editor = spawn('sleep', ['600']);
    const begun = said('"id":1');
    server.stdin.write(frame(initialize(editor.pid!)));
    await begun;
    server.stdin.write(frame({ method: 'initialized', params: {} }));
    const uri = 'file:///slow.cu';
    server.stdin.write(
      frame({
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'cuda-cpp', version: 1, text: slow } },
      }),
    );
    server.stdin.write(frame({ id: 2, method: 'textDocument/diagnostic', params: { textDocument: { uri } } }));
    await new Promise((resolve) => setTimeout(resolve, 700));
    // The pipes stay open, as when something else holds them: only the process is gone.
    editor.kill('SIGKILL');
    const gone = performance.now();
    await ended;
    inTime(performance.now() - gone, 2000);
  });

  it('ends when its standard input does', async () => {
    const begun = said('"id":1');
    server.stdin.write(frame(initialize(process.pid)));
    await begun;
    const gone = performance.now();
    server.stdin.end();
    await ended;
    inTime(performance.now() - gone, 2000);
  });

  it('reads a fragment in its root in a fresh thread too, while another file is at work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-loop-'));
    try {
      const part = '__global__ void step(float *v) { v[(blockIdx.x * blockDim.x + threadIdx.x) * PITCH] = 0; }\n';
      writeFileSync(join(folder, 'part.cuh'), part);
      const root = '#define PITCH 8\n#include "part.cuh"\nvoid f(float *v) { step<<<9, 96>>>(v); }\n';
      writeFileSync(join(folder, 'main.cu'), root);
      server.stderr.resume();
      const connection = createProtocolConnection(
        new StreamMessageReader(server.stdout),
        new StreamMessageWriter(server.stdin),
      );
      connection.onRequest('workspace/diagnostic/refresh', () => null);
      connection.listen();
      const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
      await connection.sendRequest('initialize', {
        processId: process.pid,
        capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
        workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'p' }],
        rootUri: null,
      });
      await connection.sendNotification('initialized', {});
      const open = (name: string, text: string): Promise<void> =>
        connection.sendNotification('textDocument/didOpen', {
          textDocument: { uri: uriOf(name), languageId: 'cuda-cpp', version: 1, text },
        });
      const diagnose = (name: string): Promise<{ items: { code: string }[] }> =>
        connection.sendRequest('textDocument/diagnostic', { textDocument: { uri: uriOf(name) } });
      await open('slow.cu', slow);
      let slowIsDone = false;
      const slowly = diagnose('slow.cu').then(
        () => (slowIsDone = true),
        () => (slowIsDone = true),
      );
      await open('part.cuh', part);
      let codes: string[] = [];
      for (let tries = 0; tries < 200 && !slowIsDone && !codes.includes('cuda/uncoalesced-access'); tries++) {
        codes = (await diagnose('part.cuh')).items.map(({ code }) => code);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.deepEqual(codes, ['cuda/uncoalesced-access']);
      assert.ok(!slowIsDone, 'the slow file is still at work');
      connection.dispose();
      void slowly;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('continues after an invalid message', async () => {
    server.stderr.resume();
    const connection = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    connection.listen();
    for (const nonsense of [
      'Content-Length: -5\r\n\r\n',
      'Content-Length: 99999999999\r\n\r\n{}',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      '\0\xff\r\n\r\n',
      'Content-Length: 3\r\n\r\n{"x',
    ])
      server.stdin.write(nonsense);
    await connection.sendRequest('initialize', {
      processId: process.pid,
      capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
      workspaceFolders: null,
      rootUri: null,
    });
    await connection.sendNotification('initialized', {});
    const uri = 'file:///k.cu';
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'cuda-cpp', version: 1, text: kernel },
    });
    const report = (await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } })) as {
      items: unknown[];
    };
    assert.equal(report.items.length, 1);
    connection.dispose();
  });
});

describe('the framing of messages', () => {
  it('passes whole messages whatever pieces they come in, and says once where something else was', async () => {
    const complaints: string[] = [];
    const stream = wholeMessages((sentence) => complaints.push(sentence));
    const good = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const sent = `${good('{"a":1}')}Content-Length: -1\r\n\r\nrubbish${good('{"ü":2}')}Content-Length: x\r\n\r\n${good('{}')}`;
    let passed = '';
    stream.on('data', (chunk: Buffer) => {
      passed += chunk.toString();
    });
    const bytes = Buffer.from(sent);
    for (let at = 0; at < bytes.length; at++) stream.write(bytes.subarray(at, at + 1));
    stream.end();
    await new Promise((resolve) => stream.on('end', resolve));
    assert.equal(passed, good('{"a":1}') + good('{"ü":2}') + good('{}'));
    assert.equal(complaints.length, 2);
  });
});
