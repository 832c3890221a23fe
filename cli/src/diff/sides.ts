// Two versions of a program as file systems of one shape: revisions of git, the working tree, or two folders.
import { realpathSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { decodeText, largestFile, type FileSystem, type FolderEntry } from '../../../server/src/workspace/fileSystem';
import { isFortran } from '../../../server/src/workspace/fortran';
import { nodeFileSystem } from '../../../server/src/workspace/nodeFileSystem';
import { isSource, skippedFolders } from '../../../server/src/workspace/sourceIndex';
import { isFolder } from '../analysis';
import { blobsOf, changedPaths, commitOf, git, topOf, type ChangedPath } from '../git';
import { BadUse, displayPath } from '../source';

/** One version. It uses the paths of the later version, so a file has the same name in both. */
export interface Side {
  /** The user's name for it. */
  readonly label: string;
  readonly files: FileSystem;
  /** A folder on disk that holds it, for compilers; absent for a revision. */
  readonly folder?: string;
  /** The commit, where it is one. */
  readonly commit?: string;
}

export interface Sides {
  readonly before: Side;
  readonly after: Side;
  /** The folder that both versions are of. */
  readonly top: string;
  /** Absolute paths in the terms of `top`. */
  readonly changed: readonly { readonly before?: string; readonly after?: string }[];
}

/**
 * `base` and `head` are folders, or revisions of the repository around `from`; `A...B` is what B changed
 * since it left A. Without a head it is the working tree. Throws BadUse with one sentence.
 */
export function openSides(base: string, head: string | undefined, from: string = process.cwd()): Sides {
  if (isFolder(resolve(from, base))) {
    if (head === undefined) throw new BadUse(`${base} is a folder: name a second folder to compare it with.`);
    if (!isFolder(resolve(from, head)))
      throw new BadUse(`There is no folder "${head}". A folder can only be compared with a folder.`);
    return sidesOfFolders(base, head, from);
  }
  return sidesOfRevisions(base, head, from);
}

/** Whether a file may be part of a unit, by its name. */
export function isCode(path: string): boolean {
  return isSource(path) || isFortran(path) || extname(path).toLowerCase() === '.inc';
}

// ---- folders ------------------------------------------------------------------------------------------------------

function sidesOfFolders(base: string, head: string, within: string): Sides {
  const from = realpathSync(resolve(within, base));
  const top = realpathSync(resolve(within, head));
  const before = elsewhere(top, from);
  const paths = new Set([...filesBelow(from), ...filesBelow(top)].filter(isCode));
  const changed = [...paths].sort().flatMap((path) => {
    const whole = join(top, path);
    const one = before.read(whole)?.text;
    const other = nodeFileSystem.read(whole)?.text;
    if (one === other) return [];
    return [{ ...(one === undefined ? {} : { before: whole }), ...(other === undefined ? {} : { after: whole }) }];
  });
  return {
    before: { label: base, files: before, folder: from },
    after: { label: head, files: nodeFileSystem, folder: top },
    top,
    changed,
  };
}

/** A folder presented under the path of another. */
function elsewhere(top: string, folder: string): FileSystem {
  const there = (path: string): string =>
    path === top || path.startsWith(`${top}${sep}`) ? join(folder, relative(top, path)) : path;
  return {
    read: (path) => nodeFileSystem.read(there(path)),
    list: (path) => nodeFileSystem.list(there(path)),
    version: (path) => nodeFileSystem.version(there(path)),
  };
}

function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const walk = (within: string): void => {
    for (const { name, folder: isBelow } of nodeFileSystem.list(join(folder, within)) ?? [])
      if (!isBelow) found.push(join(within, name));
      else if (!skippedFolders.test(name)) walk(join(within, name));
  };
  walk('');
  return found;
}

// ---- revisions ----------------------------------------------------------------------------------------------------

function sidesOfRevisions(base: string, head: string | undefined, within: string): Sides {
  const range = /^(.*?)\.\.(\.?)(.*)$/.exec(base);
  if (range && head === undefined) {
    const [, from, dot, to] = range;
    return between(within, from || 'HEAD', to || undefined, dot === '.');
  }
  return between(within, base, head, false);
}

function between(within: string, base: string, head: string | undefined, sinceFork: boolean): Sides {
  const top = topOf(within, 'warplens diff');
  let from = commitOf(top, base);
  const to = head === undefined ? undefined : commitOf(top, head);
  if (sinceFork) {
    const fork = git(top, ['merge-base', from, to ?? 'HEAD']);
    if (fork.status !== 0)
      throw new BadUse(
        `git knows no common ancestor of ${base} and ${head ?? 'HEAD'}; ` +
          'fetch more of the history (git fetch --unshallow).',
      );
    from = fork.stdout.trim();
  }
  const changes = changedPaths(top, from, to);
  const absolute = (path: string): string => join(top, ...path.split('/'));
  const after: FileSystem = to === undefined ? nodeFileSystem : filesOf(top, to);
  return {
    before: { label: base, files: filesOf(top, from, to === undefined ? changes : undefined), commit: from },
    after: {
      label: head ?? 'the working tree',
      files: after,
      ...(to === undefined ? { folder: top } : { commit: to }),
    },
    top,
    changed: changes.map(({ before: one, after: other }) => ({
      ...(one ? { before: absolute(one.path) } : {}),
      ...(other ? { after: absolute(other.path) } : {}),
    })),
  };
}

/** A commit's files: those of the working tree, with the differing ones replaced. */
function filesOf(top: string, commit: string, known?: readonly ChangedPath[]): FileSystem {
  const changes = known ?? changedPaths(top, commit);
  const texts = new Map<string, { readonly text: string; readonly version: number } | undefined>();
  for (const { after } of changes) if (after) texts.set(join(top, ...after.path.split('/')), undefined);
  const held = changes.flatMap(({ before }) => before ?? []);
  // A number that never is the modification time of a file on disk.
  let version = -1;
  blobsOf(
    top,
    held.map(({ blob }) => blob),
  ).forEach((bytes, at) => {
    const text = bytes === undefined || bytes.length > largestFile ? undefined : decodeText(bytes);
    texts.set(join(top, ...held[at]!.path.split('/')), text === undefined ? undefined : { text, version: version-- });
  });
  return overlaid(nodeFileSystem, texts);
}

/** Texts that replace some files; undefined for a file that does not exist. */
export function overlaid(
  below: FileSystem,
  texts: ReadonlyMap<string, { readonly text: string; readonly version: number } | undefined>,
): FileSystem {
  const added = new Map<string, Map<string, FolderEntry>>();
  const gone = new Map<string, Set<string>>();
  for (const [path, text] of texts) {
    if (text === undefined) {
      const names = gone.get(dirname(path)) ?? new Set();
      gone.set(dirname(path), names.add(basename(path)));
      continue;
    }
    // Its folders may be gone as well.
    for (let inner = path, folder = false; ; folder = true) {
      const outer = dirname(inner);
      if (outer === inner) break;
      const entries = added.get(outer) ?? new Map<string, FolderEntry>();
      const isThere = entries.has(basename(inner));
      added.set(outer, entries.set(basename(inner), { name: basename(inner), folder }));
      if (isThere) break;
      inner = outer;
    }
  }
  return {
    read: (path) => (texts.has(path) ? texts.get(path) : below.read(path)),
    version: (path) => (texts.has(path) ? texts.get(path)?.version : below.version(path)),
    list(folder) {
      const listed = below.list(folder);
      const more = added.get(folder);
      const less = gone.get(folder);
      if (!more && !less) return listed;
      const names = new Map((listed ?? []).filter(({ name }) => !less?.has(name)).map((each) => [each.name, each]));
      for (const [name, entry] of more ?? []) if (!names.has(name)) names.set(name, entry);
      return [...names.values()];
    },
  };
}

/** Paths as people write them in a change: from the folder that both versions are of. */
export function shownPath(top: string, path: string): string {
  const short = relative(top, resolve(path));
  return short.startsWith('..') ? displayPath(path) : short.split(sep).join('/');
}
