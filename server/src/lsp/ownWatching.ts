// Watches files itself where the editor does not: the folders whose files were listed or read.
import { basename, dirname, join } from 'node:path';
import { FileChangeType } from 'vscode-languageserver';
import type { FileSystem } from '../workspace/fileSystem';

export interface OwnWatching {
  /** The same files; what is asked of them is watched. */
  readonly files: FileSystem;
  /** Hears changes, a moment after they happened. */
  changed(hear: (changes: readonly { readonly path: string; readonly type: FileChangeType }[]) => void): void;
  stop(): void;
}

/** The system limits how many folders a user may watch. */
const mostFolders = 2000;
/** Milliseconds in which the parts of one save arrive. */
const gathering = 100;

/** `concerns` decides by name. Undefined where this machine watches no files. */
export function watchFiles(disk: FileSystem, concerns: (name: string) => boolean): OwnWatching | undefined {
  const { watch } = disk;
  if (!watch) return undefined;
  const stops = new Map<string, (() => void) | undefined>();
  const came = new Map<string, boolean>();
  let hear: Parameters<OwnWatching['changed']>[0] = () => {};
  let timer: NodeJS.Timeout | undefined;
  const observe = (folder: string): void => {
    if (stops.has(folder) || stops.size >= mostFolders) return;
    const each = watch(folder, (name, mayBeOther) => {
      if (!concerns(name)) return;
      const path = join(folder, name);
      came.set(path, mayBeOther || came.get(path) === true);
      timer ??= setTimeout(() => {
        timer = undefined;
        const changes = [...came].map(([at, other]): { path: string; type: FileChangeType } => ({
          path: at,
          type: !other
            ? FileChangeType.Changed
            : disk.version(at) === undefined
              ? FileChangeType.Deleted
              : FileChangeType.Created,
        }));
        came.clear();
        hear(changes);
      }, gathering);
    });
    stops.set(folder, each);
  };
  return {
    files: {
      list(folder) {
        const entries = disk.list(folder);
        if (entries) observe(folder);
        return entries;
      },
      read(path) {
        const text = disk.read(path);
        if (text && concerns(basename(path))) observe(dirname(path));
        return text;
      },
      version: (path) => disk.version(path),
    },
    changed(listener) {
      hear = listener;
    },
    stop() {
      clearTimeout(timer);
      for (const each of stops.values()) each?.();
    },
  };
}
