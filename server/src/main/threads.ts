// Starts the language server of an editor: a loop that talks to the editor, and threads that read its files.
import { MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { connectPort, openTransport } from '../lsp/connect';
import { relay } from '../lsp/relay';
import type { AnalysisThread } from '../lsp/relayLanes';
import { leftOutNotification } from '../lsp/relayState';
import { workBoard } from '../lsp/workBoard';
import { keepCode } from '../start';
import type { FileSystem } from '../workspace/fileSystem';

/** What a thread is given. */
interface ThreadData {
  readonly warplensThread: true;
  readonly port: MessagePort;
  readonly board: SharedArrayBuffer;
  readonly leftOut: readonly string[];
}

/** Megabytes of JavaScript objects that one thread may hold; the process has two at most that hold much. */
const mostMemory = 640;
/** Milliseconds between looks whether the editor is still there. */
const watchAfter = 500;
/** Milliseconds between signs of life of a thread. */
const beatAfter = 50;

/** Runs the loop, or in a thread of this program the server. `entry` is the file that a thread loads. */
export function start(entry: string): void {
  const data = workerData as ThreadData | null;
  if (parentPort && data?.warplensThread) void think(data);
  else talk(entry);
}

function talk(entry: string): void {
  let ended = false;
  const end = (code: number): void => {
    if (ended) return;
    ended = true;
    running?.stop();
    process.exit(code);
  };
  const transport = openTransport(
    process.argv.slice(2),
    (sentence) => {
      process.stderr.write(`${sentence}\n`);
    },
    () => end(1),
  );
  if (!transport) {
    process.exitCode = 2;
    return;
  }
  // A reader of the log that goes away is ignored.
  process.stderr.on('error', () => {});
  const running = relay({ ...transport, startThread: (...args) => startThread(entry, ...args), exit: end });
  const given = process.argv.find((argument) => argument.startsWith('--clientProcessId='));
  setInterval(() => {
    const editor = running.editorProcess() ?? (given === undefined ? undefined : Number(given.split('=')[1]));
    if (editor !== undefined && Number.isInteger(editor) && !lives(editor)) end(1);
  }, watchAfter);
}

function lives(process_: number): boolean {
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startThread(
  entry: string,
  hear: Parameters<Parameters<typeof relay>[0]['startThread']>[0],
  leftOut: readonly string[],
): AnalysisThread {
  const board = workBoard();
  const { port1, port2 } = new MessageChannel();
  const handed: ThreadData = { warplensThread: true, port: port2, board: board.memory, leftOut };
  // Unbundled, under tsx, a thread's first file must be loaded by what reads TypeScript.
  const unbundled = entry.endsWith('.ts');
  const thread = new Worker(unbundled ? `require('tsx/cjs'); require(${JSON.stringify(entry)});` : entry, {
    eval: unbundled,
    workerData: handed,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  });
  let why = 'without a message';
  port1.on('message', hear.message);
  thread.on('error', (error: NodeJS.ErrnoException) => {
    why = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it took too much memory' : (error.stack ?? error.message);
  });
  thread.on('exit', () => {
    port1.close();
    hear.ended(why);
  });
  return {
    board,
    post: (message) => port1.postMessage(message),
    end: () => {
      port1.close();
      void thread.terminate();
    },
  };
}

/** Serves the protocol in a separate thread, as if it were alone with the editor. */
async function think({ port, board: memory, leftOut }: ThreadData): Promise<void> {
  const board = workBoard(memory);
  // Loaded only here: the loop needs none of the analysis.
  const [{ serve }, { readGrammarFiles }, { nodeFileSystem }] = await Promise.all([
    import('../lsp/serve'),
    import('../syntax/grammarFiles'),
    import('../workspace/nodeFileSystem'),
  ]);
  setInterval(() => {
    // What keeps it busy from here on is none of the files that it has read.
    board.setFile('');
    board.beat();
  }, beatAfter).unref();
  let without = new Set(leftOut);
  port.on('message', ({ method, params }: { method?: string; params?: { files: readonly string[] } }) => {
    if (method === leftOutNotification) without = new Set(params?.files);
  });
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    version: (path) => (without.has(path) ? undefined : nodeFileSystem.version(path)),
    read: (path) => (without.has(path) ? undefined : nodeFileSystem.read(path)),
  };
  serve(connectPort(port), {
    fileSystem,
    readGrammars: () => readGrammarFiles(),
    atWorkOn(uri) {
      board.setDocument(uri ?? '');
      if (uri !== undefined) return;
      board.setFile('');
      setImmediate(keepCode);
    },
    reads: (path) => board.setFile(path),
  });
}
