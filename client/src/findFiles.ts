// Finds files by the editor's search, and by walking the folders if that fails or does not answer.
import { basename, join } from 'node:path';
import { minimatch } from 'minimatch';

export interface FileQuery {
  /** Absolute paths of the folders to look in. */
  readonly folders: readonly string[];
  /** A glob below each of them, with `/` between folders. */
  readonly pattern: string;
  /** Names of folders that are not entered. */
  readonly skippedFolders: readonly string[];
  /** The answer is cut off after so many paths. */
  readonly most: number;
  /** Milliseconds that the editor's search is waited for, where that is not the usual time. */
  readonly wait?: number;
}

/** The editor's search for a glob, as absolute paths: it may fail, never answer, or find nothing. */
export type EditorSearch = (pattern: string, signal: AbortSignal) => PromiseLike<readonly string[]>;

/** Milliseconds that the editor's search is waited for, and that a walk may take. */
const patience = 3_000;
/** Milliseconds for which a search that failed is not asked again. */
const distrust = 60_000;
/** Folders that a walk reads at most. */
const mostFolders = 20_000;

/** What a folder holds: names, and whether each is a folder (no link to one). Rejects where there is no such folder. */
export type ListFolder = (path: string) => PromiseLike<readonly (readonly [name: string, folder: boolean])[]>;

/** A function that finds files, and remembers whether the editor's search works. Times in milliseconds. */
export function createFileFinder(
  list: ListFolder,
  { wait = patience, now = Date.now }: { wait?: number; now?: () => number } = {},
) {
  let distrustedUntil = 0;
  let proven = false;
  return async (query: FileQuery, search: EditorSearch): Promise<readonly string[]> => {
    if (now() >= distrustedUntil) {
      const found = await answerWithin(search, query.pattern, query.wait ?? wait);
      // That there is no such file is believed of a search that has found something before.
      proven ||= found !== undefined && (found.length > 0 || (await findsWhatIsThere(list, query, search, wait)));
      if (found && proven) return found;
      proven = false;
      distrustedUntil = now() + distrust;
    }
    return walk(list, query, now, now() + wait);
  };
}

/** Whether the search finds a file that is known to be there; true also where no file is known. */
async function findsWhatIsThere(
  list: ListFolder,
  query: FileQuery,
  search: EditorSearch,
  wait: number,
): Promise<boolean> {
  const anything = { ...query, pattern: '**/[A-Za-z]*.[a-z]*', most: 1 };
  const [path] = await walk(list, anything, Date.now, Date.now() + wait);
  if (path === undefined) return true;
  const found = await answerWithin(search, `**/${basename(path).replace(/[[\]{}*?]/g, '[$&]')}`, wait);
  return found !== undefined && found.length > 0;
}

/** What the search finds; undefined when it fails or has not answered in time. */
async function answerWithin(
  search: EditorSearch,
  pattern: string,
  wait: number,
): Promise<readonly string[] | undefined> {
  const stop = new AbortController();
  let late: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      search(pattern, stop.signal),
      new Promise<undefined>((resolve) => {
        late = setTimeout(() => resolve(undefined), wait);
      }),
    ]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
    stop.abort();
  }
}

/** Folder by folder, the upper ones first; what was found until `end`. Links to folders are not followed. */
async function walk(list: ListFolder, query: FileQuery, now: () => number, end: number): Promise<readonly string[]> {
  const found: string[] = [];
  const skipped = new Set(query.skippedFolders);
  const waiting = query.folders.map((folder) => ({ folder, below: '' }));
  for (let read = 0; waiting.length > 0 && read < mostFolders && now() < end; read++) {
    const { folder, below } = waiting.shift()!;
    const entries = await Promise.resolve(list(join(folder, below))).catch(() => []);
    for (const [name, isFolder] of entries) {
      const path = below === '' ? name : `${below}/${name}`;
      if (isFolder) {
        if (!skipped.has(name)) waiting.push({ folder, below: path });
      } else if (minimatch(path, query.pattern, { dot: true, nonegate: true, nocomment: true })) {
        found.push(join(folder, path));
        if (found.length >= query.most) return found;
      }
    }
  }
  return found;
}
