// Drawn orders of opening, editing, closing and searching end with the findings of each open document.
import { deepEqual } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Message,
  type RequestMessage,
} from 'vscode-languageserver-protocol/node';
import { relay, workBoard, type AnalysisThread } from '../../server/src/lsp';
import { drawn } from '../support/depth';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/** A thread that reads its documents one after the other; some take long, and so do searches. */
function startThread(random: () => number, hear: (message: Message) => void): AnalysisThread {
  const board = workBoard();
  const documents = new Map<string, { version: number; text: string }>();
  const queue: string[] = [];
  let ended = false;
  let computed = 0;
  const publish = (uri: string, diagnostics: object[], version?: number): void =>
    hear({
      jsonrpc: '2.0',
      method: 'textDocument/publishDiagnostics',
      params: { uri, version, diagnostics },
    } as Message);
  const work = async (): Promise<void> => {
    for (; !ended; await pause(1)) {
      board.beat();
      const isSearch = random() < 0.05;
      const uri = isSearch ? undefined : queue[0];
      const long = isSearch || (uri !== undefined && random() < 0.2) ? 30 + 120 * random() : 0;
      board.setDocument(uri ?? '');
      board.setFile(isSearch ? '/project/searched.cu' : '');
      if (long > 0) await pause(long);
      computed += long;
      board.setDocument('');
      board.setFile('');
      // What waited meanwhile is read before the thread is seen to be free.
      for (let next = queue.shift(); next !== undefined && !ended; next = queue.shift()) {
        const read = documents.get(next);
        if (read) publish(next, [{ message: read.text }], read.version);
      }
    }
  };
  void work();
  return {
    board,
    processorTime: () => computed,
    end: () => void (ended = true),
    post(message) {
      const { id, method, params } = message as RequestMessage;
      if (method === 'initialize') setTimeout(() => hear({ jsonrpc: '2.0', id, result: {} } as Message), 60 * random());
      const { textDocument, contentChanges } = (params ?? {}) as {
        textDocument: { uri: string; version: number; text: string };
        contentChanges?: { text: string }[];
      };
      if (method === 'textDocument/didClose') {
        documents.delete(textDocument.uri);
        publish(textDocument.uri, []);
      } else if (/^textDocument\/did(?:Open|Change)$/.test(method)) {
        const { uri, version, text } = textDocument;
        documents.set(uri, { version, text: text ?? contentChanges![0]!.text });
        queue.push(uri);
      }
    },
  };
}

async function play(seed: number): Promise<void> {
  const random = numbers(seed);
  const toServer = new PassThrough();
  const toEditor = new PassThrough();
  const running = relay({
    reader: new StreamMessageReader(toServer),
    writer: new StreamMessageWriter(toEditor),
    startThread: ({ message }) => startThread(random, message),
    exit: () => {},
    limits: { look: 3, takeOver: 10, slow: 60, crowded: 20, spare: 20, superseded: 30 },
  });
  const editor = createProtocolConnection(new StreamMessageReader(toEditor), new StreamMessageWriter(toServer));
  const shown = new Map<string, unknown[]>();
  editor.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => void shown.set(uri, diagnostics));
  editor.listen();
  await editor.sendRequest('initialize', { processId: null, capabilities: {} });
  const open = new Map<string, { version: number; text: string }>();
  let texts = 0;
  for (let step = 0; step < 20; step++) {
    const uri = `file:///project/${Math.floor(8 * random())}.cu`;
    const known = open.get(uri);
    const text = `text ${++texts}`;
    const version = (known?.version ?? 0) + 1;
    const closes = known !== undefined && random() < 0.4;
    if (closes) open.delete(uri);
    else open.set(uri, { version, text });
    if (closes) await editor.sendNotification('textDocument/didClose', { textDocument: { uri } });
    else if (known)
      await editor.sendNotification('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    else
      await editor.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'cuda-cpp', version, text },
      });
    if (random() < 0.2) await pause(40 * random());
  }
  const uris = (): string[] => [...new Set([...shown.keys(), ...open.keys()])].sort();
  const wanted = (): object => uris().map((uri) => [uri, open.has(uri) ? [{ message: open.get(uri)!.text }] : []]);
  const seen = (): object => uris().map((uri) => [uri, shown.get(uri)]);
  for (let wait = 0; wait < 100 && JSON.stringify(seen()) !== JSON.stringify(wanted()); wait++) await pause(50);
  await pause(100);
  running.stop();
  editor.dispose();
  deepEqual(seen(), wanted());
}

describe('the loop between editor and analysis, in drawn orders', function () {
  this.timeout(60_000);
  for (let seed = 1; seed <= drawn(16, 300); seed++)
    it(`shows the findings of each open document in the end (${seed})`, () => play(seed));
});
