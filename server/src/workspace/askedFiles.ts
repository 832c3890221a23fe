// Files that only the editor can read, as those of a repository on the web: what an analysis misses is asked for,
// and it is done again when the answers are there.
import { basename, dirname, join } from 'node:path';
import type { FileAnswers, FileQuestions } from '../../../protocol/src/requests';
import { largestFile, type FileSystem, type FileText, type FolderEntry } from './fileSystem';
import { isSource, skippedFolders } from './sourceIndex';

/** `list`, `read`, `version` say what is known: what is not is asked for, and taken for absent meanwhile. */
export interface AskedFiles extends FileSystem {
  /** Whether answers are being waited for. */
  waits(): boolean;
  /** Resolves when everything that was asked for has been answered. */
  settled(): Promise<void>;
  /**
   * Asks for the sources of a folder and of those below it down to `depth`, the upper ones first and `mostGathered` at
   * most, so that a search through them finds them. False when there were more.
   */
  gather(folder: string, depth: number, signal: { readonly cancelled: () => boolean }): Promise<boolean>;
  /** Requested again at the next use. */
  forget(path: string): void;
}

export interface AskedFilesOptions {
  /** Rejects when the editor does not answer; then all of these files are taken for absent. */
  readonly ask: (questions: FileQuestions) => Promise<FileAnswers>;
  /** Hears that files or folders came, and whether an analysis had missed one of them. */
  readonly arrived: (missed: boolean) => void;
  /** Hears once that the bounds are reached. */
  readonly full?: () => void;
}

/** Where a repository lies on the web, each file is a request: these bounds are those of a patient user. */
export const mostGathered = 400;
const mostAsked = 4000;
const mostText = 64 * 1024 * 1024;
const filesAtOnce = 32;

/** `/scheme:authority/path`: how the client writes a path that is not on a disk. */
export function isAskedFor(path: string): boolean {
  return /^\/[a-z][a-z0-9+.-]+:/.test(path);
}

export function createAskedFiles({ ask, arrived, full }: AskedFilesOptions): AskedFiles {
  const files = new Map<string, FileText | undefined>();
  const folders = new Map<string, readonly FolderEntry[] | undefined>();
  /** What is to be asked next, and whether an analysis missed it. */
  const wantedFiles = new Map<string, boolean>();
  const wantedFolders = new Map<string, boolean>();
  let asking: Promise<void> | undefined;
  let serial = 0;
  let asked = 0;
  let text = 0;

  function want(wanted: Map<string, boolean>, path: string, missed: boolean): void {
    if (asked + wantedFiles.size + wantedFolders.size >= mostAsked || text > mostText) {
      full?.();
      full = undefined;
      return;
    }
    wanted.set(path, missed || wanted.get(path) === true);
    asking ??= askAll();
  }

  async function askAll(): Promise<void> {
    // What one analysis misses is one question.
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    while (wantedFiles.size + wantedFolders.size > 0) {
      const someFiles = [...wantedFiles].slice(0, filesAtOnce);
      const someFolders = [...wantedFolders].slice(0, filesAtOnce);
      for (const [path] of someFiles) wantedFiles.delete(path);
      for (const [path] of someFolders) wantedFolders.delete(path);
      asked += someFiles.length + someFolders.length;
      const questions = { files: someFiles.map(([path]) => path), folders: someFolders.map(([path]) => path) };
      const answers = await ask(questions).catch((): FileAnswers => ({ files: [], folders: [] }));
      let came = false;
      let anyMissed = false;
      someFiles.forEach(([path, missed], at) => {
        const content = answers.files[at] ?? undefined;
        const taken = content !== undefined && content.length <= largestFile && !content.slice(0, 8192).includes('\0');
        files.set(path, taken ? { text: content, version: ++serial } : undefined);
        text += taken ? content.length : 0;
        came ||= taken;
        anyMissed ||= taken && missed;
      });
      someFolders.forEach(([path, missed], at) => {
        const entries = answers.folders[at]?.map(([name, folder]) => ({ name, folder }));
        folders.set(path, entries);
        came ||= entries !== undefined;
        anyMissed ||= entries !== undefined && missed;
      });
      if (came) arrived(anyMissed);
    }
    asking = undefined;
  }

  /** Whether the folder above is known not to hold this. */
  function isAbsent(path: string, folder: boolean): boolean {
    const above = folders.get(dirname(path));
    return above !== undefined && !above.some((entry) => entry.name === basename(path) && entry.folder === folder);
  }

  function read(path: string, missed = true): FileText | undefined {
    if (!isAskedFor(path) || isAbsent(path, false)) return undefined;
    if (files.has(path)) return files.get(path);
    // Headers are looked for in many places: one list of a folder answers for all that it lacks.
    if (folders.get(dirname(path))) want(wantedFiles, path, missed);
    else list(dirname(path), missed);
    return undefined;
  }

  function list(folder: string, missed = true): readonly FolderEntry[] | undefined {
    if (!isAskedFor(folder) || isAbsent(folder, true)) return undefined;
    if (!folders.has(folder)) want(wantedFolders, folder, missed);
    return folders.get(folder);
  }

  async function settled(): Promise<void> {
    while (asking) await asking;
  }

  return {
    read: (path) => read(path),
    list: (folder) => list(folder),
    version: (path) => read(path)?.version,
    waits: () => asking !== undefined,
    settled,
    async gather(top, depth, signal) {
      let level = [top];
      let taken = 0;
      for (let below = 0; below <= depth && level.length > 0; below++) {
        for (const folder of level) list(folder, false);
        await settled();
        const deeper: string[] = [];
        for (const folder of level)
          for (const { name, folder: isFolder } of folders.get(folder) ?? []) {
            const path = join(folder, name);
            if (isFolder && !skippedFolders.test(name)) deeper.push(path);
            if (isFolder || !isSource(name)) continue;
            if (taken >= mostGathered || signal.cancelled()) {
              await settled();
              return false;
            }
            taken++;
            read(path, false);
          }
        await settled();
        level = deeper;
      }
      return true;
    },
    forget(path) {
      files.delete(path);
      folders.delete(path);
      folders.delete(dirname(path));
    },
  };
}

/** What is asked for over what lies on the machine's disk. */
export function overDisk(asked: AskedFiles, disk: FileSystem): FileSystem {
  const of = (path: string): FileSystem => (isAskedFor(path) ? asked : disk);
  return {
    read: (path) => of(path).read(path),
    list: (path) => of(path).list(path),
    version: (path) => of(path).version(path),
  };
}
