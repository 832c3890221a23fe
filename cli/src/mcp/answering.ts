// Answers in a separate thread: the first one only talks, so that it can be pinged and cancelled meanwhile.
import { parentPort, workerData, type Worker } from 'node:worker_threads';
import { createSyntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import type { Severity } from '../../../server/src/rules/rule';
import { startThread } from '../checkWorkers';
import { BadUse } from '../source';
import type { ToolAnswer } from './answer';
import { changeAnswer, checkAnswer, fixAnswer, modelAnswer, type CodeQuestion } from './code';

export type Asked = Omit<CodeQuestion, 'came' | 'parsers' | 'progress'>;

export type Question =
  | { readonly tool: 'check'; readonly paths: readonly string[]; readonly least: Severity; readonly rule?: string }
  | { readonly tool: 'model'; readonly file: string; readonly kernel: string | undefined }
  | { readonly tool: 'fix'; readonly file: string; readonly line: number }
  | { readonly tool: 'compare'; readonly base: string; readonly head: string | undefined };

interface Start {
  readonly warplensAnswers: Asked;
}
interface Sent {
  readonly id: number;
  readonly question: Question;
  readonly came: number;
}
type Message =
  | { readonly id: number; readonly done: number; readonly total: number }
  | { readonly id: number; readonly answer: ToolAnswer }
  | { readonly id: number; readonly failed: string; readonly badUse: boolean };

interface Waiting {
  readonly hear: (message: Message) => void;
  readonly fail: (error: Error) => void;
}

export type Answering = ReturnType<typeof createAnswering>;

/** Starts its thread for the first question or before, and again after one that was cancelled. */
export function createAnswering(asked: Asked) {
  let thread: Worker | undefined;
  let next = 0;
  const waiting = new Map<number, Waiting>();
  function start(): Worker {
    const worker = startThread({ warplensAnswers: asked } satisfies Start, __filename, 'serveAnswers');
    const ended = (why: string): void => {
      if (thread !== worker) return;
      thread = undefined;
      for (const { fail } of waiting.values()) fail(new Error(`the analysis ended (${why}); ask for fewer files`));
      waiting.clear();
    };
    return worker
      .on('message', (message: Message) => waiting.get(message.id)?.hear(message))
      .on('error', (error) => ended(error.message))
      .on('exit', (code) => ended(`code ${code}`));
  }
  return {
    /** Starts the thread, so that the first question does not wait for it. */
    ready(): void {
      thread ??= start();
    },
    ask: (
      question: Question,
      signal: AbortSignal,
      progress: (done: number, total: number) => void,
    ): Promise<ToolAnswer> =>
      new Promise((resolve, reject) => {
        const id = next++;
        const cancelled = (): void => {
          waiting.delete(id);
          // What others wait for goes on.
          if (waiting.size === 0) {
            const stopped = thread;
            thread = undefined;
            void stopped?.terminate();
          }
          reject(new Error('the request was cancelled'));
        };
        const over = (): void => {
          waiting.delete(id);
          signal.removeEventListener('abort', cancelled);
        };
        waiting.set(id, {
          hear(message) {
            if ('done' in message) {
              progress(message.done, message.total);
              return;
            }
            over();
            if ('answer' in message) resolve(message.answer);
            else reject(message.badUse ? new BadUse(message.failed) : new Error(message.failed));
          },
          fail(error) {
            over();
            reject(error);
          },
        });
        signal.addEventListener('abort', cancelled);
        thread ??= start();
        thread.postMessage({ id, question, came: Date.now() } satisfies Sent);
      }),
  };
}

/** What such a thread does until it is ended. */
export function serveAnswers(): void {
  const port = parentPort!;
  const { warplensAnswers: asked } = workerData as Start;
  let made: ReturnType<typeof createSyntax> | undefined;
  const say = (message: Message): void => port.postMessage(message);
  const answer = (question: Question, code: CodeQuestion): Promise<ToolAnswer> => {
    switch (question.tool) {
      case 'check':
        return checkAnswer(code, question.paths, question.least, question.rule);
      case 'model':
        return modelAnswer(code, question.file, question.kernel);
      case 'fix':
        return fixAnswer(code, question.file, question.line);
      case 'compare':
        return changeAnswer(code, question.base, question.head);
    }
  };
  port.on('message', ({ id, question, came }: Sent) => {
    const code: CodeQuestion = {
      ...asked,
      came,
      parsers: () => (made ??= createSyntax(readGrammarFiles())),
      progress: (done, total) => say({ id, done, total }),
    };
    void Promise.resolve()
      .then(() => answer(question, code))
      .then(
        (made) => say({ id, answer: made }),
        (error: unknown) =>
          say({
            id,
            failed: error instanceof Error ? error.message : String(error),
            badUse: error instanceof BadUse,
          }),
      );
  });
}
