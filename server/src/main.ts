// The entry of the language server and its threads: V8 is prepared before the rest is loaded.
import { isMainThread } from 'node:worker_threads';
import { prepareEngine } from './start';

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
/** Of one server: the first, those of slow files, of all others and the one that is ready. */
const mostThreads = 5;
/** Of Linux, on all processors. */
const millisecondsInTick = 10;
/** Milliseconds between signs of life of a thread. */
const beatAfter = 50;

const data = workerData as ThreadData | null;
if (parentPort && data?.warplensThread) think(data);
else talk();

function talk(): void {
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
  const running = relay({ ...transport, startThread, exit: end });
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
  hear: Parameters<Parameters<typeof relay>[0]['startThread']>[0],
  leftOut: readonly string[],
): AnalysisThread {
  const board = workBoard();
  const { port1, port2 } = new MessageChannel();
  const handed: ThreadData = { warplensThread: true, port: port2, board: board.memory, leftOut };
  // Unbundled, under tsx, a thread's first file must be loaded by what reads TypeScript.
  const unbundled = __filename.endsWith('.ts');
  const thread = new Worker(unbundled ? `require('tsx/cjs'); require(${JSON.stringify(__filename)});` : __filename, {
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
    processorTime: () => processorTimeOf(board.thread()),
    post: (message) => port1.postMessage(message),
    end: () => {
      port1.close();
      void thread.terminate();
    },
  };
}

/** Milliseconds that a thread of this process has computed; where only Linux knows, its part of all threads' time. */
function processorTimeOf(thread: number): number {
  try {
    const [user, system] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11);
    return (Number(user) + Number(system)) * millisecondsInTick;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000 / mostThreads;
  }
}

/** What Linux calls this thread; 0 elsewhere. */
function threadOfSystem(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** Serves the protocol in a separate thread, as if it were alone with the editor. */
function think({ port, board: memory, leftOut }: ThreadData): void {
  const board = workBoard(memory);
  board.setThread(threadOfSystem());
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
    version: (path) => (without.has(path) ? undefined : board.inDiskCall(() => nodeFileSystem.version(path))),
    read: (path) => (without.has(path) ? undefined : board.inDiskCall(() => nodeFileSystem.read(path))),
    list: (path) => board.inDiskCall(() => nodeFileSystem.list(path)),
  };
  serve(connectPort(port), {
    fileSystem,
    readGrammars: () => readGrammarFiles(),
    atWorkOn(uri) {
      board.setDocument(uri ?? '');
      if (uri === undefined) board.setFile('');
    },
    reads: (path) => board.setFile(path),
  });
}
