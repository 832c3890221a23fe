// The loop between editor and analysis: threads that are stuck, fall or are overtaken, played by threads that do nothing but that.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import {
  createProtocolConnection,
  CancellationTokenSource,
  StreamMessageReader,
  StreamMessageWriter,
  type Message,
  type RequestMessage,
} from 'vscode-languageserver-protocol/node';
import { leftOutNotification, relay, workBoard, type AnalysisThread } from '../../server/src/lsp';
import { createLeftOut } from '../../server/src/lsp/relayLanes';
import { inTime } from '../support/depth';
import illFormed from './illFormed.json';

interface Played {
  readonly number: number;
  readonly leftOut: readonly string[];
  readonly heard: Message[];
  ended: boolean;
  fall(why: string): void;
}

/**
 * Names of documents decide what happens when their diagnostics are asked for: one whose name holds `stuck` is never
 * answered, and one with `slow` keeps its thread busy for a while, once a thread.
 */
const slowness = 200; // milliseconds

function play(limits: Parameters<typeof relay>[0]['limits'] = {}) {
  const toServer = new PassThrough();
  const toEditor = new PassThrough();
  const threads: Played[] = [];
  const exits: number[] = [];
  const logs: string[] = [];
  const published: { uri: string; diagnostics: { code: string }[] }[] = [];

  function startThread(
    hear: { readonly message: (message: Message) => void; readonly ended: (why: string) => void },
    leftOut: readonly string[],
  ): AnalysisThread {
    const board = workBoard();
    let busy = false;
    let computed = 0;
    let without = leftOut;
    const beat = setInterval(() => (busy ? (computed += 5) : board.beat()), 5);
    const played: Played = {
      number: threads.length + 1,
      leftOut,
      heard: [],
      ended: false,
      fall(why) {
        clearInterval(beat);
        played.ended = true;
        hear.ended(why);
      },
    };
    threads.push(played);
    const answer = (id: RequestMessage['id'], result: unknown): void =>
      hear.message({ jsonrpc: '2.0', id, result } as Message);
    /** One document after the other, as a thread does. */
    const queue: { id: RequestMessage['id']; uri: string }[] = [];
    const read = new Set<string>();
    let working = false;
    async function work(): Promise<void> {
      if (working) return;
      working = busy = true;
      for (let next = queue[0]; next && !played.ended; next = queue[0]) {
        const behind = next.uri.includes('neighbour');
        if (next.uri.includes('slow') && !read.has(next.uri) && !(behind && without.length > 0)) {
          if (behind) board.setFile('/project/behind.cuh');
          else board.setDocument(next.uri);
          await new Promise((resolve) => setTimeout(resolve, slowness));
          read.add(next.uri);
          board.setDocument('');
          board.setFile('');
        }
        answer(next.id, { kind: 'full', items: [], thread: played.number });
        queue.shift();
        board.beat();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      working = busy = false;
    }
    return {
      board,
      processorTime: () => computed,
      post(message) {
        played.heard.push(message);
        const { id, method, params } = message as RequestMessage;
        if (method === leftOutNotification) without = (params as { files: string[] }).files;
        if (method === 'initialize') setTimeout(() => answer(id, { capabilities: {} }), 5);
        if (id === undefined || id === null || method === 'initialize') return;
        if (busy && !working) return;
        const uri = (params as { textDocument?: { uri: string } }).textDocument?.uri ?? '';
        if (uri.includes('slow') || working) {
          queue.push({ id, uri });
          void work();
        } else if (uri.includes('stuck')) {
          busy = true;
          board.setDocument(uri);
        } else if (uri.includes('neighbour')) {
          busy = true;
          board.setFile('/project/neighbour.cu');
        } else {
          // What comes after it, and keeps the thread busy for a while, does not keep this from being answered.
          const reply = (): void => answer(id, { kind: 'full', items: [], thread: played.number });
          setTimeout(() => (busy && !working) || reply(), 2);
        }
      },
      end() {
        clearInterval(beat);
        played.ended = true;
      },
    };
  }

  const running = relay({
    reader: new StreamMessageReader(toServer),
    writer: new StreamMessageWriter(toEditor),
    startThread,
    exit: (code) => exits.push(code),
    limits: { look: 10, takeOver: 20, superseded: 20, giveUp: 1500, ...limits },
  });
  const editor = createProtocolConnection(new StreamMessageReader(toEditor), new StreamMessageWriter(toServer));
  toEditor.on('data', (bytes: Buffer) => (all.sent += bytes));
  editor.onNotification('window/logMessage', ({ message }: { message: string }) => void logs.push(message));
  editor.onNotification('textDocument/publishDiagnostics', (each) => void published.push(each));
  editor.onRequest('workspace/diagnostic/refresh', () => {
    all.refreshed++;
    return null;
  });
  editor.listen();
  const all = {
    editor,
    threads,
    relay: running,
    logs,
    published,
    exits,
    /** How often the editor was asked to ask again. */
    refreshed: 0,
    /** What the editor was sent, as it is. */
    sent: '',
    raw: (text: string): unknown => toServer.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
    stop() {
      running.stop();
      editor.dispose();
    },
  };
  return all;
}

describe('the loop between editor and analysis', function () {
  this.timeout(20_000);
  let played: ReturnType<typeof play>;
  const initialize = async (diagnostic = true, refreshSupport = false): Promise<void> => {
    await played.editor.sendRequest('initialize', {
      processId: 4242,
      capabilities: {
        textDocument: diagnostic ? { diagnostic: {} } : {},
        workspace: { diagnostics: { refreshSupport } },
      },
    });
    await played.editor.sendNotification('initialized', {});
  };
  const open = (uri: string, text = ''): Promise<void> =>
    played.editor.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'cuda-cpp', version: 1, text },
    });
  const ask = (uri: string): Promise<{ thread?: number; items: { code: string; message: string }[] }> =>
    played.editor.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
  beforeEach(() => {
    played = play();
  });
  afterEach(() => played.stop());

  it('gives other files a separate thread, with the open documents, and the stuck one its refusal', async () => {
    await initialize();
    await played.editor.sendNotification('workspace/didChangeConfiguration', { settings: null });
    await open('file:///stuck.cu', 'a');
    await open('file:///other.cu', 'first');
    await played.editor.sendNotification('textDocument/didChange', {
      textDocument: { uri: 'file:///other.cu', version: 2 },
      contentChanges: [{ text: 'second' }],
    });
    const stuck = ask('file:///stuck.cu');
    const other = await ask('file:///other.cu');
    assert.equal(other.thread, 2);
    const told = played.threads[1]!.heard.map((each) => (each as RequestMessage).method);
    assert.deepEqual(told.slice(0, 4), [
      'initialize',
      'initialized',
      'workspace/didChangeConfiguration',
      'textDocument/didOpen',
    ]);
    const opened = played.threads[1]!.heard.filter(
      (each) => (each as RequestMessage).method === 'textDocument/didOpen',
    );
    assert.deepEqual(
      opened.map((each) => (each as unknown as { params: { textDocument: object } }).params.textDocument),
      [{ uri: 'file:///other.cu', languageId: 'cuda-cpp', version: 2, text: 'second' }],
    );
    const [refusal] = (await stuck).items;
    assert.equal(refusal?.code, 'warplens/not-read');
    assert.match(refusal!.message, /time or memory limit/);
    assert.ok(played.threads[0]!.ended);
    assert.equal((await ask('file:///other.cu')).thread, 2);
    assert.equal((await ask('file:///stuck.cu')).items[0]?.code, 'warplens/not-read');
  });

  it('answers or logs what is not of its form, hands it to no thread, and goes on', async () => {
    await initialize();
    for (const [text] of illFormed) played.raw(text!);
    await open('file:///other.cu', 'text');
    assert.equal((await ask('file:///other.cu')).thread, 1);
    const heard = played.threads[0]!.heard.map((each) => (each as RequestMessage).method);
    assert.deepEqual(heard, ['initialize', 'initialized', 'textDocument/didOpen', 'textDocument/diagnostic']);
    const codes = [...played.sent.matchAll(/"id":(?:null|"wrong"),"error":\{"code":(-\d+)/g)].map(([, code]) => code);
    const expected = illFormed.map(([, code]) => code);
    assert.deepEqual(
      codes,
      expected.filter((code) => code !== 'log'),
    );
    assert.equal(played.logs.length, expected.length - codes.length);
    assert.match(played.logs[0]!, /Skipped textDocument\/didOpen/);
  });

  it('reads a file again that was given up, closed and opened, and one that has changed', async () => {
    await initialize();
    await open('file:///stuck.cu');
    assert.equal((await ask('file:///stuck.cu')).items[0]?.code, 'warplens/not-read');
    const before = played.threads.length;
    await played.editor.sendNotification('textDocument/didClose', { textDocument: { uri: 'file:///stuck.cu' } });
    await open('file:///stuck.cu', 'again');
    void ask('file:///stuck.cu').catch(() => {
      // stuck again
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    const told = played.threads.at(-1)!.heard.map((each) => (each as RequestMessage).method);
    assert.deepEqual(told.slice(-2), ['textDocument/didOpen', 'textDocument/diagnostic']);
    assert.equal(played.threads.length, before);
  });

  it('has a thread ready for when the first is stuck', async () => {
    await initialize();
    await open('file:///stuck.cu');
    await open('file:///other.cu');
    for (let wait = 0; wait < 200 && played.threads.length < 2; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const ready = played.threads[1]!;
    assert.deepEqual(
      ready.heard.map((each) => (each as RequestMessage).method),
      ['initialize'],
    );
    void ask('file:///stuck.cu').catch(() => {
      // refused
    });
    assert.equal((await ask('file:///other.cu')).thread, 2);
    assert.equal(played.threads.length, 2);
  });

  it('keeps a thread for the file that is looked at, however many others are stuck', async () => {
    played.stop();
    played = play({ crowded: 10, spare: 20 });
    await initialize();
    const stuck = Array.from({ length: 6 }, (_, at) => `file:///stuck-${at}.cu`);
    let refusals = 0;
    for (const uri of stuck) {
      await open(uri);
      void ask(uri).then(() => refusals++);
    }
    await open('file:///other.cu');
    const asked = Date.now();
    await ask('file:///other.cu');
    // What was opened last is read first, in the second thread, although six are stuck before it.
    inTime(Date.now() - asked, 700);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const later = Date.now();
    await ask('file:///other.cu');
    inTime(Date.now() - later, 300, 'with all threads for slow files stuck');
    assert.equal(refusals, 0, 'nothing is given up for want of room');
    assert.ok(played.threads.filter(({ ended }) => !ended).length <= 4);
  });

  it('reads the files whose thread went to others as soon as one is free, and each only once more', async () => {
    played.stop();
    played = play({ crowded: 10, spare: 20, slow: 10 });
    await initialize();
    const uris = Array.from({ length: 5 }, (_, at) => `file:///slow-${at}.cu`);
    for (const uri of uris) await open(uri);
    const answers = await Promise.all(uris.map(ask));
    assert.equal(answers.length, uris.length);
    assert.ok(played.threads.length <= 2 * uris.length, `${played.threads.length} threads`);
    assert.deepEqual(played.logs, []);
  });

  it('answers for a file that waits for a thread when it is closed, and when the question is cancelled', async () => {
    played.stop();
    played = play({ crowded: 10, spare: 20 });
    await initialize();
    const stuck = Array.from({ length: 5 }, (_, at) => `file:///stuck-${at}.cu`);
    for (const uri of stuck) await open(uri);
    const answers = stuck.map((uri) => ask(uri));
    void Promise.allSettled(answers);
    await open('file:///other.cu');
    for (let round = 0; round < 5; round++) {
      await ask('file:///other.cu');
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    for (const uri of stuck) await played.editor.sendNotification('textDocument/didClose', { textDocument: { uri } });
    const asked = Date.now();
    const ended = await Promise.race([
      Promise.all(answers.slice(2)).then(() => 'all'),
      new Promise((resolve) => setTimeout(resolve, 5000, 'not all')),
    ]);
    assert.equal(ended, 'all', `after ${Date.now() - asked} ms`);
  });

  it('answers a cancelled request at once, however busy the thread is', async () => {
    await initialize();
    await open('file:///stuck.cu');
    const sources = Array.from({ length: 500 }, () => new CancellationTokenSource());
    const replies = sources.map(({ token }) =>
      played.editor.sendRequest('textDocument/diagnostic', { textDocument: { uri: 'file:///stuck.cu' } }, token).then(
        () => 'answered',
        (error: { code: number }) => error.code,
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const each of sources) each.cancel();
    assert.deepEqual([...new Set(await Promise.all(replies))], [-32800]);
  });

  it('answers what was asked of a text that was typed over while its thread is busy', async () => {
    await initialize();
    await open('file:///stuck.cu');
    ask('file:///stuck.cu').catch(() => {
      // given up in the end
    });
    const hover = played.editor
      .sendRequest('textDocument/hover', {
        textDocument: { uri: 'file:///stuck.cu' },
        position: { line: 0, character: 0 },
      })
      .then(
        () => 'answered',
        (error: { code: number }) => error.code,
      );
    await new Promise((resolve) => setTimeout(resolve, 60));
    await played.editor.sendNotification('textDocument/didChange', {
      textDocument: { uri: 'file:///stuck.cu', version: 2 },
      contentChanges: [{ text: 'new' }],
    });
    assert.equal(await hover, -32801);
  });

  it('leaves out a file behind the documents that holds all others up', async () => {
    await initialize();
    await open('file:///neighbour-of-it.cu');
    ask('file:///neighbour-of-it.cu').catch(() => {
      // asked again of the next thread, which is held up likewise
    });
    for (let wait = 0; wait < 200 && !played.logs.some((each) => each.includes('takes long')); wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(played.threads[1]?.leftOut, ['/project/neighbour.cu']);
    assert.match(played.logs[0] ?? '', /^\/project\/neighbour\.cu takes long to analyse: /);
  });

  it('tells the thread that is ready what it is not to read', async () => {
    await initialize();
    await open('file:///slow-neighbour.cu');
    await open('file:///other.cu');
    for (let wait = 0; wait < 200 && played.threads.length < 2; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const first = ask('file:///slow-neighbour.cu');
    assert.equal((await ask('file:///other.cu')).thread, 2);
    const told = played.threads[1]!.heard.find(
      (each) => (each as RequestMessage).method === leftOutNotification,
    ) as unknown as { params: object };
    await first;
    assert.deepEqual(told.params, { files: ['/project/behind.cuh'] });
  });

  it('starts no thread after the other where every file takes long, as on a slow machine', async () => {
    await initialize();
    const uris = Array.from({ length: 12 }, (_, at) => `file:///slow-${at}.cu`);
    for (const uri of uris) await open(uri);
    const answers = await Promise.all(uris.map(ask));
    assert.equal(answers.length, uris.length);
    assert.ok(played.threads.length <= 6, `${played.threads.length} threads for 12 files`);
    // The first has read them, so it goes on, and those in its place have ended.
    assert.equal((await ask('file:///slow-0.cu')).thread, 1);
    assert.deepEqual(played.logs, []);
  });

  it('reads a file behind the documents after all when it was only slow', async () => {
    await initialize();
    await open('file:///slow-neighbour.cu');
    await open('file:///other.cu');
    const first = ask('file:///slow-neighbour.cu');
    assert.equal((await ask('file:///other.cu')).thread, 2);
    assert.deepEqual(played.threads[1]?.leftOut, ['/project/behind.cuh']);
    await first;
    await new Promise((resolve) => setTimeout(resolve, 2 * slowness));
    assert.equal((await ask('file:///other.cu')).thread, 1);
    // But for one that is made ready for the next time.
    assert.ok(played.threads[1]!.ended);
    assert.ok(played.threads.slice(1).filter(({ ended }) => !ended).length <= 1);
    assert.ok(played.logs.every((each) => !each.includes('restarted')));
  });

  it('has the editor ask again for what another thread answered without a file', async () => {
    await initialize(true, true);
    for (const name of ['slow', 'other', 'slow-neighbour']) await open(`file:///${name}.cu`);
    const first = ask('file:///slow.cu');
    assert.equal((await ask('file:///other.cu')).thread, 2);
    const behind = ask('file:///slow-neighbour.cu');
    const third = await ask('file:///other.cu');
    assert.notEqual(third.thread, 1);
    assert.notEqual(third.thread, 2);
    assert.equal(played.refreshed, 0);
    await Promise.all([first, behind]);
    for (let wait = 0; wait < 100 && played.refreshed === 0; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(played.refreshed > 0, 'the first thread is free and reads the file that the third did without');
  });

  it('leaves a file out for a while, each time for twice as long', () => {
    const logs: string[] = [];
    const leftOut = createLeftOut((sentence) => logs.push(sentence));
    const minute = 60_000;
    leftOut.keep('/project/behind.cuh');
    assert.deepEqual(leftOut.due(Date.now()), []);
    assert.deepEqual(leftOut.files(), ['/project/behind.cuh']);
    const changes = leftOut.changes();
    assert.deepEqual(leftOut.due(Date.now() + minute), ['/project/behind.cuh']);
    assert.deepEqual(leftOut.files(), []);
    assert.ok(leftOut.changes() > changes);
    assert.deepEqual(leftOut.due(Date.now() + minute), []);
    leftOut.keep('/project/behind.cuh');
    assert.deepEqual(leftOut.due(Date.now() + minute), []);
    assert.deepEqual(leftOut.due(Date.now() + 2 * minute), ['/project/behind.cuh']);
    assert.match(logs.join('\n'), /read again in a minute\.\n.*read again in 2 minutes\./);
  });

  it('goes on without the file at which a thread fell, and tells an editor that does not ask', async () => {
    await initialize(false);
    await open('file:///stuck.cu');
    await open('file:///other.cu');
    ask('file:///stuck.cu').catch(() => {
      // refused
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    played.threads[0]!.fall('it took too much memory');
    assert.equal((await ask('file:///other.cu')).thread, 2);
    const told = played.published.find(({ uri }) => uri === 'file:///stuck.cu');
    assert.equal(told?.diagnostics[0]?.code, 'warplens/not-read');
  });

  it('ends when an analysis that cannot start was tried some times', async () => {
    const waiting = initialize().catch(() => {
      // never answered
    });
    for (let attempt = 0; attempt < 8 && played.exits.length === 0; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      played.threads.at(-1)?.fall('no grammar');
    }
    assert.deepEqual(played.exits, [1]);
    void waiting;
  });

  it('refuses requests before initialize and after shutdown, and exits on request', async () => {
    await assert.rejects(ask('file:///a.cu'), { code: -32002 });
    await initialize();
    assert.equal(played.relay.editorProcess(), 4242);
    await played.editor.sendRequest('shutdown');
    await assert.rejects(ask('file:///a.cu'), { code: -32600 });
    await played.editor.sendNotification('exit');
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(played.exits, [0]);
    assert.ok(played.threads.every((each) => each.ended));
  });
});
