// The threads that the loop keeps, how long it bears with them, and how it tells what they are at work on.
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Message, MessageReader, MessageWriter, RequestMessage } from 'vscode-languageserver/node';
import { leftOutNotification, notification } from './relayState';
import type { WorkBoard } from './workBoard';

/** A thread that serves the protocol as if it were alone. */
export interface AnalysisThread {
  readonly board: WorkBoard;
  /** Milliseconds that it has computed. */
  processorTime(): number;
  post(message: Message): void;
  end(): void;
}

export interface RelayOptions {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /**
   * The thread does not read files in `leftOut`, even if others name them. `ended` gets the reason as text; it is not
   * called after `end`.
   */
  readonly startThread: (
    hear: { readonly message: (message: Message) => void; readonly ended: (why: string) => void },
    leftOut: readonly string[],
  ) => AnalysisThread;
  readonly exit: (code: number) => void;
  readonly limits?: Partial<RelayLimits>;
}

/** All in milliseconds: of the processor, so that a loaded machine takes no file for a bad one, and of the disk. */
export interface RelayLimits {
  /** Between two looks at the threads. */
  readonly look: number;
  /** A thread this long busy with one file while others wait: they go on in another one, until it is free. */
  readonly takeOver: number;
  /** A thread more is made ready when the first has begun for this long and is free, and when one was overtaken. */
  readonly spare: number;
  /** A thread that is busy with an outdated version of a file is ended after this, and restarted. */
  readonly superseded: number;
  /** A file that a thread is busy with for this long keeps that thread, also when it has been read. */
  readonly slow: number;
  /** Where no thread for slow files is left, one of theirs gives way once each has been busy for this long. */
  readonly crowded: number;
  /** A file that a thread is busy with for this long is not read. */
  readonly giveUp: number;
}

export const usualLimits: RelayLimits = {
  look: 100,
  takeOver: 600,
  spare: 1500,
  superseded: 2000,
  slow: 4000,
  crowded: 1000,
  giveUp: 15_000,
};

/** Threads that hold slow files, beside the one for all others. */
export const mostSlowLanes = 2;
/** A file that was given up so often is left alone until it is opened again. */
export const mostAttempts = 3;

export interface Lane {
  readonly thread: AnalysisThread;
  readonly number: number;
  /** Documents that it does not have. */
  readonly without: Set<string>;
  /** Messages that wait until it has answered `initialize`; undefined when it has. */
  waiting: Message[] | undefined;
  beats: number;
  /** When it was last seen to be free, and what it had computed by then; both in milliseconds. */
  freeAt: number;
  freeAtOfProcessor: number;
  /** When it was last found in the same call of the file system as before, and for how long it has been in such. */
  disk: { readonly call: number; readonly at: number; readonly waited: number };
  /** When a document that it was at work on was typed in; undefined where it has been free since. */
  superseded: number | undefined;
  /** What it published last of each document. */
  readonly published: Map<string, Publication>;
  /** When it had answered `initialize`. */
  begunAt: number;
  /** Number of the list of files to skip that it was sent. */
  leftOut: number;
  /**
   * While it is busy and another has taken its place: the file behind the documents, or '', that the other does
   * without.
   */
  overtaken: { readonly file: string } | undefined;
  ended: boolean;
}

export type Publication = Message & { readonly params: { readonly uri: string; readonly version?: number } };

export interface Pending {
  readonly message: RequestMessage;
  readonly uri: string | undefined;
  lane: Lane;
}

/** A thread is free: what it does from here on counts. */
export function freeNow(lane: Lane): void {
  lane.freeAt = Date.now();
  lane.freeAtOfProcessor = lane.thread.processorTime();
  lane.disk = { call: 0, at: lane.freeAt, waited: 0 };
}

function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds for which a thread has been busy: those that it has computed, or waited for a disk. */
export function busyFor({ thread, disk, freeAt, freeAtOfProcessor }: Lane): number {
  return Math.min(Date.now() - freeAt, thread.processorTime() - freeAtOfProcessor + disk.waited);
}

/** Called at each look: a call of the file system that was seen at the last one has taken since then. */
export function lookAtDisk(lane: Lane): void {
  const { call, at, waited } = lane.disk;
  const present = lane.thread.board.diskCall();
  const now = Date.now();
  lane.disk = { call: present, at: now, waited: waited + (present !== 0 && present === call ? now - at : 0) };
}

/** The one of the open documents that a thread is at work on, be it as a neighbour of others, or ''. */
export function documentAtWork({ thread: { board } }: Lane, open: readonly string[]): string {
  const uri = board.document();
  if (uri !== '') return uri;
  const path = board.file();
  return open.find((each) => pathOf(each) === path) ?? '';
}

type Hear = Parameters<RelayOptions['startThread']>[0];

/** A thread that has just been started. */
export function newLane(number: number, start: (hear: Hear) => AnalysisThread, hear: Hear): Lane {
  return {
    number,
    thread: start(hear),
    without: new Set(),
    waiting: [],
    beats: -1,
    freeAt: Date.now(),
    freeAtOfProcessor: 0,
    disk: { call: 0, at: 0, waited: 0 },
    superseded: undefined,
    published: new Map(),
    begunAt: 0,
    leftOut: 0,
    overtaken: undefined,
    ended: false,
  };
}

/** The limits grow up to so many times on a machine where threads were overtaken needlessly. */
const mostLeniency = 16;
/** Milliseconds without a needless overtaking after which the limits are halved again. */
const lenientFor = 60_000;

/**
 * How many times as long as usual a thread may be busy: slow machines need more, and starting threads slows them
 * further.
 */
export function createLeniency(): { times(): number; needless(): void } {
  let times = 1;
  let changedAt = 0;
  return {
    times() {
      if (times > 1 && Date.now() - changedAt > lenientFor) {
        times /= 2;
        changedAt = Date.now();
      }
      return times;
    },
    needless() {
      times = Math.min(2 * times, mostLeniency);
      changedAt = Date.now();
    },
  };
}

/** Milliseconds for which a file is left out the first time. */
const leftOutFor = 60_000;

/** Files behind the documents that threads are not to read; '' stands for none. */
type LeftOut = ReturnType<typeof createLeftOut>;

export function createLeftOut(log: (sentence: string) => void) {
  const files = new Set<string>();
  const kept = new Map<string, { until: number; for: number }>();
  let changes = 0;
  const add = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    changes++;
  };
  return {
    files: (): readonly string[] => [...files],
    /** Counts the changes. */
    changes: (): number => changes,
    /** For as long as it is not known whether it can be read. */
    add(file: string): void {
      if (file === '') return;
      add(file);
      log(`${file} takes long to analyse: its launches and includes are unknown until it is done.`);
    },
    remove(file: string): void {
      if (files.delete(file)) changes++;
    },
    /** For a while, that of each further time twice as long. */
    keep(file: string): void {
      if (file === '') return;
      add(file);
      const longer = 2 * (kept.get(file)?.for ?? leftOutFor / 2);
      kept.set(file, { until: Date.now() + longer, for: longer });
      log(
        `${file} takes too long to analyse: its launches and includes are unknown; it is read again in ` +
          `${longer === 60_000 ? 'a minute' : `${longer / 60_000} minutes`}.`,
      );
    },
    /** Those whose while is over: they are left out no more. */
    due(now: number): readonly string[] {
      const over = [...kept].flatMap(([file, { until }]) => (files.has(file) && until <= now ? [file] : []));
      for (const file of over) files.delete(file);
      if (over.length > 0) changes++;
      return over;
    },
  };
}

/** Tells the threads to read again what was left out for its while: the machine may have been busy then. */
export function tellDue(
  leftOut: LeftOut,
  lanes: readonly Lane[],
  post: (lane: Lane, message: Message) => void,
  now: number,
): void {
  const changes = leftOut.due(now).map((file) => ({ uri: pathToFileURL(file).href, type: 2 }));
  if (changes.length === 0) return;
  for (const lane of lanes) {
    post(lane, notification(leftOutNotification, { files: leftOut.files() }));
    lane.leftOut = leftOut.changes();
    post(lane, notification('workspace/didChangeWatchedFiles', { changes }));
  }
}
