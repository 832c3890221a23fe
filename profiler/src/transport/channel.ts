/**
 * One program started from this machine, with the marks of the host scripts read out of its streams and its lifeline
 * kept beating.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

import { lifeline } from './hostScripts';

/** What to start on this machine: a program and its arguments, never a shell line. */
export interface LocalCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface ChannelOptions {
  /** The run id that the host script was given; its marks carry it. */
  readonly run: string;
  /** Called for each mark on the error stream, `begin` included. */
  readonly onMark?: (words: readonly string[]) => void;
  /** The command's own output, marks removed, as bytes and in order. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** The command's own error stream, marks removed. */
  readonly onError?: (text: string) => void;
  /** When set, these bytes are the standard input and there is no lifeline. */
  readonly input?: Readable;
}

/** How a channel ended. */
export interface ChannelEnd {
  /** Whether the host script answered at all; without it, what is in `errors` came from ssh or the launcher. */
  readonly began: boolean;
  /** The error stream before `begin` and after the last mark: what ssh itself had to say. */
  readonly errors: string;
  /** The exit status of the program on this machine; undefined when a signal ended it. */
  readonly code: number | undefined;
  /** Set when the program could not be started at all (`ENOENT`: there is none of that name). */
  readonly startError: NodeJS.ErrnoException | undefined;
  /** Set when the bytes that `input` was to give could not be read. */
  readonly inputError: Error | undefined;
}

export interface Channel {
  readonly ended: Promise<ChannelEnd>;
  /** Sends one byte down the lifeline. */
  signal(byte: string): void;
  /**
   * Closes the lifeline, which stops the command; the program on this machine is killed if it has not ended after
   * `patienceMilliseconds`.
   */
  hangUp(patienceMilliseconds?: number): void;
}

const beatMilliseconds = 10_000;

/**
 * How long the other side may take to stop its processes (2 s of grace twice, and the way there) before we stop
 * listening.
 */
const hangUpPatience = 10_000;

/** Starts `command` and listens. Never throws: a program that cannot be started ends the channel with `startError`. */
export function openChannel(command: LocalCommand, options: ChannelOptions): Channel {
  const child = spawn(command.file, [...command.args], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
  let began = false;
  let outputBegan = false;
  let inputError: Error | undefined;
  let startError: NodeJS.ErrnoException | undefined;
  let foreign = '';
  let killTimer: NodeJS.Timeout | undefined;

  // Both writes and closing may race with the other end going away; the end of the channel says it all.
  child.stdin.on('error', () => undefined);
  child.stdout.on('error', () => undefined);
  child.stderr.on('error', () => undefined);

  const marks = new MarkReader(options.run);
  child.stderr.on('data', (chunk: Buffer) => {
    for (const part of marks.read(chunk)) {
      if (typeof part !== 'string') {
        if (part[0] === 'begin') began = true;
        options.onMark?.(part);
      } else if (began) {
        options.onError?.(part);
        foreign = (foreign + part).slice(-4000);
      } else {
        foreign = (foreign + part).slice(-4000);
      }
    }
  });

  // A login shell may print a greeting first, so the output counts from the mark on.
  const outputMark = Buffer.from(`\u001e${options.run} begin\u001f`);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (outputBegan) {
      options.onOutput?.(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const at = head.indexOf(outputMark);
    if (at < 0) {
      if (head.length > 1 << 20) head = head.subarray(head.length - outputMark.length);
      return;
    }
    outputBegan = true;
    const rest = head.subarray(at + outputMark.length);
    if (rest.length > 0) options.onOutput?.(rest);
  });

  let beat: NodeJS.Timeout | undefined;
  if (options.input) {
    options.input.on('error', (error) => {
      inputError = error;
      child.stdin.destroy();
    });
    options.input.pipe(child.stdin);
  } else {
    child.stdin.write(lifeline.beat);
    beat = setInterval(() => child.stdin.writable && child.stdin.write(lifeline.beat), beatMilliseconds);
  }

  const ended = (async (): Promise<ChannelEnd> => {
    try {
      // The error event (no such program) comes instead of exit; close may or may not follow it.
      await new Promise<void>((resolve) => {
        child.on('error', (error) => {
          startError = error;
          resolve();
        });
        child.on('exit', () => {
          options.input?.unpipe();
          child.stdin.destroy();
        });
        child.on('close', () => resolve());
      });
    } finally {
      clearInterval(beat);
      clearTimeout(killTimer);
    }
    for (const part of marks.end()) foreign = (foreign + part).slice(-4000);
    return { began, errors: foreign, code: child.exitCode ?? undefined, startError, inputError };
  })();

  return {
    ended,
    signal: (byte) => {
      if (child.stdin.writable) child.stdin.write(byte);
    },
    hangUp: (patience = hangUpPatience) => {
      options.input?.unpipe();
      if (options.input) child.stdin.destroy();
      else child.stdin.end();
      if (killTimer === undefined) {
        killTimer = setTimeout(() => {
          child.kill('SIGKILL');
          // A grandchild may still hold the pipes; they are not read any more.
          child.stdout.destroy();
          child.stderr.destroy();
        }, patience);
      }
    },
  };
}

/**
 * Starts a program of this machine and gathers what it prints. For short questions (`ssh -O exit`, `rsync --version`).
 */
export async function runHere(
  command: LocalCommand,
  timeoutMilliseconds: number,
): Promise<{ code: number | undefined; output: string }> {
  const child = spawn(command.file, [...command.args], { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let output = '';
  const gather = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-16_000);
  };
  child.stdout.on('data', gather);
  child.stderr.on('data', gather);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMilliseconds);
  try {
    await once(child, 'close');
  } catch {
    return { code: undefined, output };
  } finally {
    clearTimeout(timer);
  }
  return { code: child.exitCode ?? undefined, output };
}

/** The output of a program of this machine as a stream, which fails when the program does. */
export function outputOf(command: LocalCommand): Readable {
  const child = spawn(command.file, [...command.args], { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const stream = new PassThrough();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-2000);
  });
  child.stdout.pipe(stream, { end: false });
  child.on('error', (error) => stream.destroy(error));
  child.on('close', (code) => {
    if (code === 0) stream.end();
    else stream.destroy(new Error(errors.trim() || `${command.file} failed`));
  });
  stream.on('close', () => child.kill('SIGKILL'));
  return stream;
}

/** Cuts marks out of a stream that arrives in arbitrary pieces. */
class MarkReader {
  private readonly opening: string;
  private readonly decoder = new StringDecoder('utf8');
  private pending = '';

  constructor(run: string) {
    this.opening = `\u001e${run} `;
  }

  /**
   * The stream's text as strings, its marks as lists of words, in order. What may be the beginning of a mark is kept
   * back.
   */
  *read(chunk: Buffer): Generator<string | readonly string[]> {
    this.pending += this.decoder.write(chunk);
    for (;;) {
      const at = this.pending.indexOf('\u001e');
      if (at < 0) {
        if (this.pending.length > 0) yield this.pending;
        this.pending = '';
        return;
      }
      if (at > 0) yield this.pending.slice(0, at);
      this.pending = this.pending.slice(at);
      const couldBe = this.pending.startsWith(this.opening) || this.opening.startsWith(this.pending);
      if (!couldBe) {
        const next = this.pending.indexOf('\u001e', 1);
        yield this.pending.slice(0, next < 0 ? undefined : next);
        this.pending = next < 0 ? '' : this.pending.slice(next);
        continue;
      }
      const end = this.pending.indexOf('\u001f');
      if (end >= 0 && this.pending.startsWith(this.opening)) {
        const [word, ...rest] = this.pending.slice(this.opening.length, end).split(' ');
        // The rest of a mark is one path or one number; paths may hold blanks.
        yield rest.length > 1 && word === 'scratch' ? [word, rest.join(' ')] : [word!, ...rest];
        this.pending = this.pending.slice(end + 1);
      } else if (this.pending.length > 8192) {
        yield this.pending;
        this.pending = '';
        return;
      } else {
        return;
      }
    }
  }

  *end(): Generator<string> {
    const rest = this.pending + this.decoder.end();
    if (rest.length > 0) yield rest;
  }
}
