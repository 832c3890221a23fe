// Knows which files of a workspace launch which kernels, so that a header's kernel is read with the shapes it runs
// with.
import { dirname, join } from 'node:path';
import type { LaunchConfiguration } from '../semantic';
import { binds, type FileLaunches } from '../workspace/launchesElsewhere';
import { isSource, launchedElsewhere, skippedFolders, type SourceIndex } from '../workspace/sourceIndex';
import type { OpenFiles } from './openFiles';

/**
 * Works in two steps. A search of the text, linear in it, in the background, says which files launch kernels that they
 * do not define. Only when an open document defines such a kernel are those files parsed, in the background too. Until
 * then a document uses the known ones.
 */
export type LaunchIndex = ReturnType<typeof createLaunchIndex>;

export interface Signal {
  readonly cancelled: () => boolean;
}

export interface LaunchIndexOptions {
  readonly fileSystem: Pick<OpenFiles, 'peek' | 'list'>;
  /** What is filled here, and asked. */
  readonly sources: SourceIndex;
  readonly toPath: (uri: string) => string;
  /** Parses one file for its launches. */
  readonly parse: (path: string) => FileLaunches | undefined;
  /** A search is over: more is known of who includes whom. */
  readonly onSearched: () => void;
  /** What is known of these documents' launches has changed. */
  readonly onChange: (uris: readonly string[]) => void;
  /** Resolves when there is time for work in the background. */
  readonly idle: () => Promise<void>;
  readonly log: (sentence: string) => void;
}

/** Bounds of one search. */
const mostFiles = 20_000;
const mostText = 512 * 1024 * 1024;
export const wholeFolder = 24;
const longestParsed = 1024 * 1024;
/** Milliseconds of searching between two breaths. */
const slice = 8;

export function createLaunchIndex(options: LaunchIndexOptions) {
  const { fileSystem, toPath, sources } = options;
  const parsed = new Map<string, FileLaunches>();
  const wanted = new Map<string, ReadonlySet<string>>();
  const queue = new Set<string>();
  let working = false;

  /** Does a file launch kernels of others? */
  function launches(path: string): boolean {
    const scan = sources.scanOf(path);
    return scan !== undefined && launchedElsewhere(scan).length > 0;
  }

  /** Length of the file's text, and whether it includes or launches something else now. */
  function scan(path: string): { readonly length: number; readonly differs: boolean } {
    const read = fileSystem.peek(path);
    if (read && read.text.length <= longestParsed)
      return { length: read.text.length, differs: sources.take(path, read.version, read.text) };
    const known = sources.scanOf(path) !== undefined;
    sources.remove(path);
    return { length: read?.text.length ?? 0, differs: known };
  }

  function want(path: string): void {
    queue.add(path);
    if (!working) void work();
  }

  async function work(): Promise<void> {
    working = true;
    try {
      while (queue.size > 0) {
        await options.idle();
        const [path] = queue;
        if (path === undefined) break;
        queue.delete(path);
        const before = parsed.get(path);
        const after = launches(path) ? options.parse(path) : undefined;
        if (after) parsed.set(path, after);
        else parsed.delete(path);
        if (fingerprint(before) !== fingerprint(after)) {
          const names = new Set([...(before?.launches.keys() ?? []), ...(after?.launches.keys() ?? [])]);
          const uris = [...wanted]
            .filter(([uri, kernels]) => toPath(uri) !== path && [...kernels].some((name) => names.has(name)))
            .map(([uri]) => uri);
          if (uris.length > 0) options.onChange(uris);
        }
      }
    } finally {
      working = false;
    }
  }

  return {
    /** Launches of the kernels that a file defines, made in other files, as far as known. Reads no file. */
    launchesFor(uri: string, kernels: ReadonlySet<string>): ReadonlyMap<string, readonly LaunchConfiguration[]> {
      wanted.set(uri, kernels);
      const own = toPath(uri);
      const found = new Map<string, LaunchConfiguration[]>();
      for (const path of sources.launchersOf(kernels)) {
        if (path === own) continue;
        const known = parsed.get(path);
        if (!known) {
          want(path);
          continue;
        }
        for (const [name, { configurations, definedIn }] of known.launches) {
          if (!kernels.has(name) || !binds(name, definedIn.map(toPath), path, own, own, everything, sources)) continue;
          found.set(name, [...(found.get(name) ?? []), ...configurations]);
        }
      }
      return found;
    },
    /** Searches a folder again, and its subfolders down to `depth`. Resolves when done; `progress` gets fractions. */
    async search(
      root: string,
      depth: number,
      signal: Signal,
      progress: (fraction: number, files: number) => void,
    ): Promise<void> {
      const folders: { readonly path: string; readonly depth: number }[] = [{ path: root, depth: 0 }];
      const seen = new Set<string>();
      let files = 0;
      let foldersDone = 0;
      let text = 0;
      let breath = Date.now();
      for (let folder = folders.shift(); folder; folder = folders.shift()) {
        foldersDone++;
        for (const entry of fileSystem.list(folder.path) ?? []) {
          const path = join(folder.path, entry.name);
          if (entry.folder) {
            if (folder.depth < depth && !skippedFolders.test(entry.name))
              folders.push({ path, depth: folder.depth + 1 });
            continue;
          }
          if (!isSource(entry.name)) continue;
          files++;
          seen.add(path);
          text += scan(path).length;
          if (Date.now() - breath > slice) {
            progress(foldersDone / (foldersDone + folders.length), files);
            await options.idle();
            breath = Date.now();
          }
          if (signal.cancelled()) return;
          if (files >= mostFiles || text > mostText) {
            options.log(
              `The search for launches stopped after ${files} files in ${root}; block sizes of kernels ` +
                'launched from other files are assumed.',
            );
            folders.length = 0;
            break;
          }
        }
      }
      for (const path of [...sources.paths()])
        if (path.startsWith(root) && (depth > 0 || dirname(path) === root) && !seen.has(path)) {
          sources.remove(path);
          parsed.delete(path);
        }
      options.onSearched();
      for (const [, kernels] of wanted)
        for (const path of sources.launchersOf(kernels)) if (!parsed.has(path)) want(path);
    },
    /** A file appeared, changed or went. True when it includes or launches something else now. */
    changed(path: string): boolean {
      if (!isSource(path)) return false;
      const { differs } = scan(path);
      const names = launches(path) ? sources.scanOf(path)!.launched : undefined;
      if (
        parsed.has(path) ||
        (names && [...wanted.values()].some((kernels) => [...kernels].some((name) => names.has(name))))
      )
        want(path);
      return differs;
    },
    /** A document was closed: its launches are not needed any more. */
    forget(uri: string): void {
      wanted.delete(uri);
    },
    /** Files known to launch kernels of other files. */
    size: (): number => sources.launchers(),
  };
}

const everything = { has: () => true };

function fingerprint(launches: FileLaunches | undefined): string {
  return launches === undefined
    ? ''
    : [...launches.launches]
        .map(
          ([name, { configurations, definedIn }]) =>
            `${name} ${definedIn.join(' ')} ${configurations.map((one) => `${one.key} ${one.at.start}`).join(' ')}`,
        )
        .sort()
        .join('\n');
}
