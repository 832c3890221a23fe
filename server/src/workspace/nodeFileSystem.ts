// The file system of the machine, for the command line and below the open documents of an editor.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { decodeText, largestFile, type FileSystem } from './fileSystem';

export const nodeFileSystem: FileSystem = {
  read(path) {
    try {
      const found = statSync(path);
      if (!found.isFile() || found.size > largestFile) return undefined;
      const text = decodeText(readFileSync(path));
      return text === undefined ? undefined : { text, version: found.mtimeMs };
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
      return statSync(path).mtimeMs;
    } catch {
      return undefined;
    }
  },
};
