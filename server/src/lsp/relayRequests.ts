// The requests of the editor that wait for an answer, and what is answered in place of their thread.
import { LSPErrorCodes } from 'vscode-languageserver/node';
import { answerOfRefused, type sayTo } from './relayState';
import type { Lane, Pending } from './relayLanes';

type Id = string | number;

export function createRequests({ answer, refuse }: Pick<ReturnType<typeof sayTo>, 'answer' | 'refuse'>) {
  const pending = new Map<Id, Pending>();
  return {
    add: (id: Id, request: Pending): void => void pending.set(id, request),
    get: (id: Id): Pending | undefined => pending.get(id),
    /** Forgets a request that was answered. */
    delete: (id: Id): boolean => pending.delete(id),
    values: (): readonly Pending[] => [...pending.values()],
    /** As they came. */
    all: (): readonly (readonly [Id, Pending])[] => [...pending],
    /**
     * First what has no document or one that is `quick`, then what was asked for last: that is what is being looked at.
     */
    byUrgency(quick: ReadonlySet<string>): readonly (readonly [Id, Pending])[] {
      const rank = (uri: string | undefined): number => Number(uri !== undefined && !quick.has(uri));
      return [...pending].reverse().sort(([, a], [, b]) => rank(a.uri) - rank(b.uri));
    },
    cancel(id: Id): void {
      if (pending.delete(id)) refuse(id, LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
    },
    /** Answers what was asked of a text that is no more, but for diagnostics. Returns what was answered. */
    outdated(uri: string): readonly (readonly [Id, Lane])[] {
      const answered: [Id, Lane][] = [];
      for (const [id, each] of pending) {
        if (each.uri !== uri || !/^textDocument\/(?!diagnostic)/.test(each.message.method)) continue;
        pending.delete(id);
        answered.push([id, each.lane]);
        refuse(id, LSPErrorCodes.ContentModified, 'The file has changed since.');
      }
      return answered;
    },
    /** Answers those that `which` says, because their file was closed. */
    closed(which: (request: Pending) => boolean): void {
      for (const [id, each] of pending) {
        if (!which(each)) continue;
        pending.delete(id);
        answer(id, answerOfRefused(each.message.method, 'The file was closed.'));
      }
    },
  };
}
