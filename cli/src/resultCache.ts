// Caches results of files on disk while nothing that they depend on has changed: findings of
// `warplens check`, figures of `warplens diff`.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { cacheFolder, entryFile } from '../../server/src/start';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { digestOf, observeFiles, unobserved, type ObservedFiles } from '../../server/src/workspace/observedFiles';
import { createSurroundings } from '../../server/src/workspace/around';
import { createSourceIndex } from '../../server/src/workspace/sourceIndex';
import { surroundingsAlone } from '../../server/src/workspace/workspace';
import type { CheckSettings, FileResult } from './checking';
import { noStamps, openFileStamps, readDigested, refresh, writeDigested, type FileStamps } from './fileStamps';

/** A result that can be cached. */
export interface Kept {
  /** What it depends on: questions of files with digests of their answers. Empty if it must not be cached. */
  readonly asked: readonly (readonly [string, string])[];
}

export interface ResultCache<Result extends Kept> {
  /** The cached result of a file, if none of its inputs changed. */
  get(path: string): Result | undefined;
  /** Never throws: a result that cannot be stored is computed again. */
  put(path: string, result: Result): void;
  /** Removes the oldest results beyond the bound. */
  trim(): void;
}

/** Bytes of all results together; a third is removed when they are more. */
const mostBytes = 256 * 1024 * 1024;
const day = 24 * 60 * 60 * 1000;
/** From this many new results on, the surroundings of their files are scanned at the end, for the next run. */
const manyResults = 20;

/** Results of `warplens check`. */
export function openResultCache(
  settings: CheckSettings,
  folder = cacheFolder(),
  bound = mostBytes,
): ResultCache<FileResult> {
  const program = createHash('sha256').update(`${version}\n${programIdentity()}`).digest('hex').slice(0, 38);
  const cache = openCache<FileResult>(settings, observeFiles(nodeFileSystem, unobserved), folder, bound, {
    stamps: openFileStamps(join(folder, 'files', program)),
  });
  return {
    ...cache,
    get(path) {
      const kept = cache.get(path);
      return kept && { ...kept, findings: kept.findings.map(unlimited) };
    },
  };
}

/** JSON has no infinity: a gain that nothing limits was written as `null`. */
function unlimited(finding: ResolvedFinding): ResolvedFinding {
  const { gain } = finding;
  return gain && (gain[1] as number | null) === null ? { ...finding, gain: [gain[0], Infinity] } : finding;
}

/**
 * `about` is all that results depend on beside files: plain data. `files` answer what results asked; `stamps` say what
 * is known of them from earlier runs, where they are the disk's.
 */
export function openCache<Result extends Kept>(
  about: unknown,
  files: ObservedFiles,
  folder = cacheFolder(),
  bound = mostBytes,
  { stamps = noStamps }: { readonly stamps?: FileStamps } = {},
): ResultCache<Result> {
  const context = digestOf(JSON.stringify([version, programIdentity(), process.cwd(), about]));
  const index = createSourceIndex(files);
  const around = createSurroundings({
    fileSystem: files,
    index: {
      update(path) {
        if (stamps.of(path)?.scan !== undefined) return false;
        const learn = (): boolean => index.update(path);
        return stamps.learned(path, learn, (into) => {
          into.scan = { digest: index.digestOf(path), length: index.lengthOf(path) };
        });
      },
      digestOf: (path) => stamps.of(path)?.scan?.digest ?? index.digestOf(path),
      lengthOf: (path) => stamps.of(path)?.scan?.length ?? index.lengthOf(path),
    },
    observer: unobserved,
    root: undefined,
    limit: surroundingsAlone,
  });
  const placeOf = (path: string): string => {
    const name = createHash('sha256').update(`${context}\n${path}`).digest('hex');
    return join(folder, name.slice(0, 2), name.slice(2, 40));
  };
  function answerNow(question: string): string | undefined {
    const path = textAsked(question);
    if (path === undefined) return files.answer(question) ?? around.answer(question);
    const read = (): string => files.answer(question) ?? '';
    return (
      stamps.of(path)?.text ??
      stamps.learned(path, read, (into, digest) => {
        into.text = digest;
      })
    );
  }
  let kept = 0;
  /** Questions of new results about the surroundings of their files. */
  const aroundAsked = new Set<string>();
  function note(question: string, answer: string): void {
    const path = textAsked(question);
    if (path === undefined) {
      if (question.startsWith('around ')) aroundAsked.add(question);
    } else if (stamps.of(path)?.text === undefined)
      stamps.earlier(path, (into) => {
        into.text = answer;
      });
  }

  return {
    get(path) {
      const place = placeOf(path);
      try {
        const result = readDigested(place) as Result | undefined;
        if (!result?.asked.every(([question, answer]) => answerNow(question) === answer)) return undefined;
        refresh(place);
        return result;
      } catch {
        return undefined;
      }
    },
    put(path, result) {
      if (result.asked.length === 0) return;
      if (!writeDigested(placeOf(path), result)) return;
      kept++;
      for (const [question, answer] of result.asked) note(question, answer);
    },
    trim() {
      if (kept >= manyResults) for (const question of aroundAsked) around.answer(question);
      stamps.save();
      if (kept > 0) trimFolder(folder, bound);
    },
  };
}

/** The file of a question of its text. */
function textAsked(question: string): string | undefined {
  return question.startsWith('text ') ? question.slice('text '.length) : undefined;
}

function trimFolder(folder: string, bound: number): void {
  const entries: { readonly path: string; readonly bytes: number; readonly used: number }[] = [];
  try {
    for (const part of readdirSync(folder))
      for (const name of readdirSync(join(folder, part))) {
        const path = join(folder, part, name);
        const { size, mtimeMs } = statSync(path);
        // Partial files of a killed run.
        if (name.includes('.') && Date.now() - mtimeMs > day) rmSync(path, { force: true });
        else entries.push({ path, bytes: size, used: mtimeMs });
      }
    let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= bound) return;
    for (const { path, bytes } of entries.sort((a, b) => a.used - b.used)) {
      if (total <= (bound * 2) / 3) break;
      rmSync(path, { force: true });
      total -= bytes;
    }
  } catch {
    /* another run removes them as well */
  }
}

let identity: string | undefined;
/** Identifies this build: a digest of its entry, which names each part by its bytes, or the times of its sources. */
function programIdentity(): string {
  return (identity ??= readIdentity());
}

function readIdentity(): string {
  const entry = entryFile() ?? __filename;
  if (!entry.endsWith('.ts')) return digestOf(readFileSync(entry, 'latin1'));
  const root = join(__dirname, '..', '..');
  const times: string[] = [];
  for (const part of ['cli/src', 'server/src', 'protocol/src'])
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ts')) times.push(`${name} ${statSync(join(root, part, name)).mtimeMs}`);
  return digestOf(times.sort().join('\n'));
}
