// The documents that are not read any more because they take too much, and what is said of each.
import { mostAttempts } from './relayLanes';

export function createRefused() {
  const sentences = new Map<string, string>();
  const attempts = new Map<string, number>();
  return {
    /** What is said of a document that is not read; undefined of one that is. */
    sentenceOf: (uri: string): string | undefined => sentences.get(uri),
    has: (uri: string): boolean => sentences.has(uri),
    uris: (): readonly string[] => [...sentences.keys()],
    /** Refuses a document, and returns what is said of it. */
    add(uri: string): string {
      const count = (attempts.get(uri) ?? 0) + 1;
      attempts.set(uri, count);
      const again = count < mostAttempts ? 'changes' : 'is reopened';
      const sentence =
        'Not analysed: this file exceeds the time or memory limit for one file. Warplens tries ' +
        `again when the file ${again}. The usual causes are large includes, macros and tables.`;
      sentences.set(uri, sentence);
      return sentence;
    },
    /** Whether a document that was refused, and has changed since, may be tried once more. */
    mayTry: (uri: string): boolean => sentences.has(uri) && (attempts.get(uri) ?? 0) < mostAttempts,
    /** It is tried once more. */
    remove: (uri: string): void => void sentences.delete(uri),
    /** It counts as never tried. */
    opened: (uri: string): void => void attempts.delete(uri),
    /** The same, and nothing is said of it any more. */
    forget(uri: string): void {
      sentences.delete(uri);
      attempts.delete(uri);
    },
  };
}
