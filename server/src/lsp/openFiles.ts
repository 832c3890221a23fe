// The file system as the editor sees it: open documents over the files on disk, which are looked at again only after a
// while.
import type { FileSystem, FileText } from '../workspace/fileSystem';

export interface OpenFiles extends FileSystem {
  /** Puts a document's text over the file. */
  cover(path: string, text: string): void;
  uncover(path: string): void;
  /** Reads without remembering, for searches through many files. */
  peek(path: string): FileText | undefined;
  /** A file changed on disk, or came: what is remembered of it is forgotten. */
  touched(path: string): void;
  /** Files have come: what was not there is looked for again. */
  forgetAbsent(): void;
}

/**
 * Milliseconds for which a file on disk is taken to be as it was: a keystroke must not wait for a slow disk. Watched
 * files are updated sooner.
 */
const freshFor = 3000;
const mostRemembered = 4000;
const mostText = 64 * 1024 * 1024;

interface Remembered {
  readonly version: number | undefined;
  readonly checked: number;
  readonly text?: FileText | undefined;
}

/** `reads` hears of each file whose text is taken, open ones among them. */
export function createOpenFiles(
  disk: FileSystem,
  now: () => number = Date.now,
  reads?: (path: string) => void,
): OpenFiles {
  const covers = new Map<string, FileText>();
  const remembered = new Map<string, Remembered>();
  let textHeld = 0;
  // Documents count downwards, so that no version is ever a time of modification.
  let serial = 0;

  function remember(path: string, entry: Remembered): void {
    forget(path);
    if (remembered.size >= mostRemembered || textHeld > mostText) {
      remembered.clear();
      textHeld = 0;
    }
    remembered.set(path, entry);
    textHeld += entry.text?.text.length ?? 0;
  }

  function forget(path: string): void {
    textHeld -= remembered.get(path)?.text?.text.length ?? 0;
    remembered.delete(path);
  }

  function look(path: string): Remembered {
    const known = remembered.get(path);
    const time = now();
    if (known && time - known.checked < freshFor) return known;
    const version = disk.version(path);
    const entry: Remembered = {
      version,
      checked: time,
      text: known?.text !== undefined && known.version === version ? known.text : undefined,
    };
    remember(path, entry);
    return entry;
  }

  return {
    cover(path, text) {
      covers.set(path, { text, version: --serial });
    },
    uncover(path) {
      covers.delete(path);
      forget(path);
    },
    touched: forget,
    forgetAbsent() {
      for (const [path, { version }] of remembered) if (version === undefined) remembered.delete(path);
    },
    peek(path) {
      reads?.(path);
      return covers.get(path) ?? disk.read(path);
    },
    read(path) {
      reads?.(path);
      const cover = covers.get(path);
      if (cover) return cover;
      const entry = look(path);
      if (entry.text !== undefined || entry.version === undefined) return entry.text;
      const text = disk.read(path);
      if (text) remember(path, { version: text.version, checked: entry.checked, text });
      return text;
    },
    version: (path) => covers.get(path)?.version ?? look(path).version,
    list: (folder) => disk.list(folder),
  };
}
