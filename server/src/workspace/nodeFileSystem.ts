// The file system of the machine, for the command line and below the open documents of an editor.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync, watch } from 'node:fs';
import { decodeText, largestFile, type FileSystem } from './fileSystem';

export const nodeFileSystem: FileSystem = {
  read(path) {
    try {
      const found = readPlainFile(path, largestFile);
      if ('problem' in found) return undefined;
      const text = decodeText(found.bytes);
      return text === undefined ? undefined : { text, version: found.modified };
    } catch {
      return undefined;
    }
  },
  list(folder) {
    try {
      return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        folder: entry.isDirectory(),
      }));
    } catch {
      return undefined;
    }
  },
  version(path) {
    try {
      // An error for each of the many places where a header is not would cost more than all else.
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? found.mtimeMs : undefined;
    } catch {
      return undefined;
    }
  },
  watch(folder, heard) {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name !== null) heard(name, event === 'rename');
      });
      // A folder that goes needs no watching.
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return undefined;
    }
  },
};

export interface PlainFile {
  readonly bytes: Buffer;
  /** Time of the last change, milliseconds since 1970. */
  readonly modified: number;
}

/**
 * The bytes of a plain file of at most `largest` bytes, or why there are none. Only regular files are opened: a
 * device may act, a FIFO waits for somebody. No more is read than the file says that it holds, so that the endless
 * files of /proc, which say 0, give nothing. Throws what the system throws for a file that is absent or may not be
 * read.
 */
export function readPlainFile(
  path: string,
  largest: number,
): PlainFile | { readonly problem: 'not-plain' } | { readonly problem: 'too-large'; readonly size: number } {
  const before = statSync(path);
  if (!before.isFile()) return { problem: 'not-plain' };
  if (before.size > largest) return { problem: 'too-large', size: before.size };
  // Not to wait, should the name stand for a FIFO by now.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    const { size, mtimeMs } = fstatSync(file);
    if (!fstatSync(file).isFile()) return { problem: 'not-plain' };
    if (size > largest) return { problem: 'too-large', size };
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const count = readSync(file, bytes, length, size - length, length);
      if (count === 0) break;
      length += count;
    }
    return { bytes: bytes.subarray(0, length), modified: mtimeMs };
  } finally {
    closeSync(file);
  }
}
