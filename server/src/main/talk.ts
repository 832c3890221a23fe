// The loop that talks to the editor, which starts the threads that read its files. It loads no analysis.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { openTransport } from '../lsp/connect';
import { relay } from '../lsp/relay';
import type { AnalysisThread } from '../lsp/relayLanes';
import { workBoard } from '../lsp/workBoard';
import { entryFile } from '../start';
import type { ThreadData } from './thread';

/** Megabytes of JavaScript objects that one thread may hold; the process has two at most that hold much. */
const mostMemory = 640;
/** Milliseconds between looks whether the editor is still there. */
const watchAfter = 500;
/** Of one server: the first, those of slow files, of all others and the one that is ready. */
const mostThreads = 5;
const millisecondsInTick = 10; // of Linux, on all processors

export function talk(): void {
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
  const handed: ThreadData = { port: port2, board: board.memory, leftOut };
  // Unbundled, under tsx, a thread's first file must be loaded by what reads TypeScript.
  const unbundled = __filename.endsWith('.ts');
  const thread = JSON.stringify(join(__dirname, 'thread.ts'));
  const file = unbundled ? `require('tsx/cjs'); require(${thread}).think();` : entryFile()!;
  const worker = new Worker(file, {
    eval: unbundled,
    workerData: handed,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  });
  let why = 'without a message';
  port1.on('message', hear.message);
  worker.on('error', (error: NodeJS.ErrnoException) => {
    why = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it took too much memory' : (error.stack ?? error.message);
  });
  worker.on('exit', () => {
    port1.close();
    hear.ended(why);
  });
  return {
    board,
    processorTime: () => processorTimeOf(board.thread()),
    post: (message) => port1.postMessage(message),
    end: () => {
      port1.close();
      void worker.terminate();
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
