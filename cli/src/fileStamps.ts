// Facts about files on disk from earlier runs, valid while the files' stamps are the same: a run over an
// unchanged tree neither reads nor scans them. The idea is that of git's index.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestOf } from '../../server/src/workspace/observedFiles';

/** Digest of a text, or its entry in the index of sources. */
export interface KnownFile {
  text?: string;
  scan?: { readonly digest: string; readonly length: number };
}

export interface FileStamps {
  /** The facts of a file whose stamp is unchanged; undefined for others. */
  of(path: string): Readonly<KnownFile> | undefined;
  /** The result of `learn` on the current file, kept if the file did not change while it was read. */
  learned<T>(path: string, learn: () => T, keep: (into: KnownFile, found: T) => void): T;
  /** A result of this run, kept if the file has not changed since before the run. */
  earlier(path: string, keep: (into: KnownFile) => void): void;
  /** Writes new entries. Never throws: lost entries are computed again. */
  save(): void;
}

/**
 * Times of change and modification in ms, size and inode: every write changes the first, whatever it does
 * to the second.
 */
type Stamp = readonly [changed: number, modified: number, bytes: number, number: number];
type Entry = readonly [stamp: Stamp, text: string, scanDigest: string, scanLength: number];

/**
 * A file that changed this shortly before it was read may change again without another time (FAT counts in steps of two
 * seconds, kernels by their clock's ticks), so nothing is kept of it: git calls such entries racy.
 */
const restless = 2_100;
const mostEntries = 100_000;
const day = 24 * 60 * 60 * 1000;

/** `place` is the file that holds what is known; it is made for one version of this program. */
export function openFileStamps(place: string, now: () => number = Date.now): FileStamps {
  const begun = now();
  const kept = readEntries(place);
  const stamps = new Map<string, Stamp | undefined>();
  const known = new Map<string, KnownFile>();
  let news = false;

  function stampNow(path: string): Stamp | undefined {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [found.ctimeMs, found.mtimeMs, found.size, found.ino] : undefined;
    } catch {
      return undefined;
    }
  }
  const isSame = (a: Stamp, b: Stamp | undefined): boolean => b !== undefined && a.every((part, at) => part === b[at]);

  function of(path: string): KnownFile | undefined {
    if (stamps.has(path)) return known.get(path);
    const stamp = stampNow(path);
    stamps.set(path, stamp);
    const entry = kept.get(path);
    if (stamp === undefined || entry === undefined || !isSame(stamp, entry[0])) return undefined;
    const found: KnownFile = {};
    if (entry[1] !== '') found.text = entry[1];
    if (entry[2] !== '') found.scan = { digest: entry[2], length: entry[3] };
    known.set(path, found);
    return found;
  }

  /** If the file had not changed for some time before `since`, and still has not. */
  function keepFor(path: string, since: number, keep: (into: KnownFile) => void): void {
    const before = stamps.get(path);
    if (before === undefined || Math.max(before[0], before[1]) > since - restless || !isSame(before, stampNow(path)))
      return;
    const into = known.get(path) ?? {};
    keep(into);
    known.set(path, into);
    news = true;
  }

  return {
    of,
    learned(path, learn, keep) {
      of(path);
      const since = now();
      const found = learn();
      keepFor(path, since, (into) => keep(into, found));
      return found;
    },
    earlier(path, keep) {
      of(path);
      keepFor(path, begun, keep);
    },
    save() {
      if (!news) {
        refresh(place);
        return;
      }
      // Entries that this run did not use are kept while there is room: other runs check other folders.
      const entries = new Map<string, Entry>();
      for (const [path, { text = '', scan }] of known)
        entries.set(path, [stamps.get(path)!, text, scan?.digest ?? '', scan?.length ?? 0]);
      for (const [path, entry] of kept) {
        if (entries.size >= mostEntries) break;
        if (!stamps.has(path)) entries.set(path, entry);
      }
      writeDigested(place, [...entries]);
    },
  };
}

/** For files without stamps, such as those of a revision. */
export const noStamps: FileStamps = {
  of: () => undefined,
  learned: (_path, learn) => learn(),
  earlier() {
    /* nothing is kept */
  },
  save() {
    /* nothing was kept */
  },
};

function readEntries(place: string): ReadonlyMap<string, Entry> {
  try {
    return new Map(readDigested(place) as [string, Entry][] | undefined);
  } catch {
    return new Map();
  }
}

/** The value in a file whose first line is a digest of the rest; undefined where it is truncated or damaged. */
export function readDigested(place: string): unknown {
  const content = readFileSync(place, 'utf8');
  const end = content.indexOf('\n');
  const body = content.slice(end + 1);
  return content.slice(0, end) === digestOf(body) ? JSON.parse(body) : undefined;
}

/** False where it cannot be written. Another run that reads or writes the file sees the complete old or new one. */
export function writeDigested(place: string, value: unknown): boolean {
  const body = JSON.stringify(value);
  const temporary = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(temporary, `${digestOf(body)}\n${body}`, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, place);
    return true;
  } catch {
    try {
      rmSync(temporary, { force: true });
    } catch {
      /* the folder does not exist */
    }
    return false;
  }
}

/** The oldest files are removed first, so mark this one as used. */
export function refresh(place: string): void {
  try {
    if (Date.now() - statSync(place).mtimeMs > day) utimesSync(place, new Date(), new Date());
  } catch {
    /* nothing was kept yet */
  }
}
