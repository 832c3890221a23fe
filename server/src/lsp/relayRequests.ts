// The requests of the editor that wait for an answer, and what is answered in place of their thread.
import { LSPErrorCodes } from 'vscode-languageserver/node';
import { answerOfRefused, type sayTo } from './relayState';
import type { Lane, Pending } from './relayLanes';

type Id = string | number;

export interface Requests {
  add(id: Id, request: Pending): void;
  get(id: Id): Pending | undefined;
  /** Forgets a request that was answered. */
  delete(id: Id): boolean;
  values(): readonly Pending[];
  /** As they came. */
  all(): readonly (readonly [Id, Pending])[];
  /**
   * First what has no document or one that is `quick`, then what was asked for last: that is what is being looked at.
   */
  byUrgency(quick: ReadonlySet<string>): readonly (readonly [Id, Pending])[];
  cancel(id: Id): void;
  /** Answers what was asked of a text that is no more, but for diagnostics. Returns what was answered. */
  outdated(uri: string): readonly (readonly [Id, Lane])[];
  /** Answers those that `which` says, because their file was closed. */
  closed(which: (request: Pending) => boolean): void;
}

export function createRequests({ answer, refuse }: Pick<ReturnType<typeof sayTo>, 'answer' | 'refuse'>): Requests {
  const pending = new Map<Id, Pending>();
  return {
    add: (id, request) => void pending.set(id, request),
    get: (id) => pending.get(id),
    delete: (id) => pending.delete(id),
    values: () => [...pending.values()],
    all: () => [...pending],
    byUrgency(quick) {
      const rank = (uri: string | undefined): number => Number(uri !== undefined && !quick.has(uri));
      return [...pending].reverse().sort(([, a], [, b]) => rank(a.uri) - rank(b.uri));
    },
    cancel(id) {
      if (pending.delete(id)) refuse(id, LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
    },
    outdated(uri) {
      const answered: [Id, Lane][] = [];
      for (const [id, each] of pending) {
        if (each.uri !== uri || !/^textDocument\/(?!diagnostic)/.test(each.message.method)) continue;
        pending.delete(id);
        answered.push([id, each.lane]);
        refuse(id, LSPErrorCodes.ContentModified, 'The file has changed since.');
      }
      return answered;
    },
    closed(which) {
      for (const [id, each] of pending) {
        if (!which(each)) continue;
        pending.delete(id);
        answer(id, answerOfRefused(each.message.method, 'The file was closed.'));
      }
    },
  };
}
