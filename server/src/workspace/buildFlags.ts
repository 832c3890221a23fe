// What the build says of a file: from a compilation database, or from the Makefile beside it.
import { dirname } from 'node:path';
import { findCompileCommands, type CompileCommands, type CompileFlags } from './compileCommands';
import type { FileSystem } from './fileSystem';
import { makefileFlags } from './makefile';
import { createKept, type Observer } from './observedFiles';

export function createBuildFlags(fileSystem: FileSystem, observer: Observer, complain: (sentence: string) => void) {
  const databases = createKept<CompileCommands | undefined>(observer);
  const makefiles = createKept<CompileFlags | undefined>(observer);
  const databaseFor = (path: string): CompileCommands | undefined =>
    databases.of(dirname(path), () => findCompileCommands(fileSystem, path, complain));

  return {
    of(path: string): CompileFlags | undefined {
      const database = databaseFor(path);
      if (database) return database.flagsOf(path);
      const folder = dirname(path);
      return makefiles.of(folder, () => makefileFlags(fileSystem, folder));
    },
    /** Does the build compile this file by itself? */
    compiles: (path: string): boolean => databaseFor(path)?.lists(path) ?? false,
    /** Build files may have changed. */
    changed(): void {
      databases.clear();
      makefiles.clear();
    },
  };
}
