// A thread that reads the editor's files.
import { readlinkSync } from 'node:fs';
import { workerData, type MessagePort } from 'node:worker_threads';
import { connectPort } from '../lsp/connect';
import { leftOutNotification } from '../lsp/relayState';
import { serve } from '../lsp/serve';
import { workBoard } from '../lsp/workBoard';
import { keepCode } from '../start';
import { readGrammarFiles } from '../syntax/grammarFiles';
import type { FileSystem } from '../workspace/fileSystem';
import { nodeFileSystem } from '../workspace/nodeFileSystem';

export interface ThreadData {
  readonly port: MessagePort;
  readonly board: SharedArrayBuffer;
  readonly leftOut: readonly string[];
}

/** Milliseconds between signs of life of a thread. */
const beatAfter = 50;
/** Milliseconds of rest before code is kept: asking how much there is takes as long as an edit. */
const rest = 1000;

/** What Linux calls this thread; 0 elsewhere. */
function threadOfSystem(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** Serves the protocol in a separate thread, as if it were alone with the editor. */
export function think(): void {
  const { port, board: memory, leftOut } = workerData as ThreadData;
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
  const keeping = setTimeout(keepCode, rest).unref();
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
      if (uri !== undefined) return;
      board.setFile('');
      keeping.refresh();
    },
    reads: (path) => board.setFile(path),
  });
}
