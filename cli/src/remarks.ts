// Notes beside the findings: parts of the code that the analysis omitted, and why.
import { includeAdvice, isIncludeNote } from '../../server/src/workspace/includeNotes';
import { unreadCounts, unreadText } from '../../server/src/rules/unreadWording';
import type { FileResult, UnreadPlace } from './checking';
import type { Terminal } from './options';
import { displayPath } from './source';

/** One remark on one file; line and column from 1, absent where it is about the file as a whole. */
export interface Remark {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
  /** The file was to be checked and could not be read. */
  readonly fails?: true;
}

/**
 * Hears the files' results, and tells of them at the end: each sentence once, and each note with the first place that
 * it is about.
 */
export interface Teller {
  hear(path: string, result: FileResult): void;
  /** A file or folder that cannot be read. */
  miss(path: string, sentence: string): void;
  end(): void;
  /** All remarks on single files, in order. */
  readonly remarks: readonly Remark[];
  /** What has no figures, by file. */
  readonly unread: readonly UnreadOfFile[];
}

export interface UnreadOfFile {
  readonly path: string;
  readonly list: readonly UnreadPlace[];
  /** By the project's configuration. */
  readonly fails: boolean;
}

/** `isWhole`: all that was not read is listed, rather than counted. */
export function createTeller(terminal: Terminal, isWhole: boolean): Teller {
  const sentences = new Set<string>();
  const notes = new Map<string, { readonly first: string; readonly files: Set<string> }>();
  const remarks: Remark[] = [];
  const unread: UnreadOfFile[] = [];
  return {
    remarks,
    unread,
    miss(path, text) {
      terminal.note(text);
      remarks.push({ path, text, fails: true });
    },
    hear(path, result) {
      if (result.unread.length > 0) unread.push({ path, list: result.unread, fails: result.failsUnread === true });
      if (result.excess !== undefined) {
        sentences.add(`${displayPath(path)}: ${result.excess}`);
        remarks.push({ path, text: result.excess });
      }
      for (const sentence of result.sentences) sentences.add(sentence);
      for (const { line, column, text } of result.notes) {
        remarks.push({ path, line, column, text });
        const known = notes.get(text);
        if (known) known.files.add(path);
        else notes.set(text, { first: `${displayPath(path)}:${line}:${column}`, files: new Set([path]) });
      }
    },
    end() {
      for (const sentence of sentences) terminal.note(sentence);
      for (const [text, { first, files }] of notes) {
        const more = files.size - 1;
        const also = more > 0 ? ` (So in ${more} more ${more === 1 ? 'file' : 'files'}.)` : '';
        terminal.note(`${first}: note: ${text}${also}`);
      }
      if ([...notes.keys()].some(isIncludeNote)) terminal.note(includeAdvice);
      for (const { path, list } of unread) {
        const file = displayPath(path);
        // A limit of the whole file is a sentence above.
        const parts = list.filter(({ what }) => what !== 'file');
        if (isWhole)
          for (const one of parts) terminal.note(`${file}:${one.line}:${one.column}: not read: ${unreadText(one)}.`);
        else if (parts.length > 0)
          terminal.note(
            `${file}: ${unreadCounts(parts)} could not be read: see warplens model ${file}, or use --unread.`,
          );
      }
    },
  };
}
