// What the build says of a file: from a compilation database, or from the Makefile beside it.
import { dirname } from 'node:path';
import { findCompileCommands, type CompileCommands, type CompileFlags } from './compileCommands';
import type { FileSystem } from './fileSystem';
import { makefileFlags } from './makefile';
import type { Asked, Observer } from './observedFiles';

export interface BuildFlags {
  of(path: string): CompileFlags | undefined;
  /** Does the build compile this file by itself? */
  compiles(path: string): boolean;
  /** Build files may have changed. */
  changed(): void;
}

export function createBuildFlags(
  fileSystem: FileSystem,
  observer: Observer,
  complain: (sentence: string) => void,
): BuildFlags {
  const databases = new Map<string, { readonly value: CompileCommands | undefined; readonly asked: Asked }>();
  const makefiles = new Map<string, { readonly value: CompileFlags | undefined; readonly asked: Asked }>();

  function databaseFor(path: string): CompileCommands | undefined {
    const folder = dirname(path);
    let known = databases.get(folder);
    if (known) observer.again(known.asked);
    else {
      known = observer.watch(() => findCompileCommands(fileSystem, path, complain));
      databases.set(folder, known);
    }
    return known.value;
  }

  return {
    of(path) {
      const database = databaseFor(path);
      if (database) return database.flagsOf(path);
      const folder = dirname(path);
      let known = makefiles.get(folder);
      if (known) observer.again(known.asked);
      else {
        known = observer.watch(() => makefileFlags(fileSystem, folder));
        makefiles.set(folder, known);
      }
      return known.value;
    },
    compiles: (path) => databaseFor(path)?.lists(path) ?? false,
    changed() {
      databases.clear();
      makefiles.clear();
    },
  };
}
