// Checks one file after the other with one workspace: the work of a process of `warplens check` or of a worker.
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { defaultSettings } from '../../protocol/src/settings';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import type { Marked } from '../../server/src/lint/marks';
import type { Fix } from '../../server/src/rules/rule';
import { isQuietPath } from '../../server/src/workspace/quietPaths';
import type { Span, Unread } from '../../server/src/semantic/model';
import { mergedRules, type Configuration } from '../../server/src/workspace/configurationFile';
import { createTrials, type Trials, type Version } from '../../server/src/workspace/trials';
import { verdictOf } from '../../server/src/verdict/verdict';
import { isFortran } from '../../server/src/workspace/fortran';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createObserver, observeFiles } from '../../server/src/workspace/observedFiles';
import { openWorkspace, uriOf, type AnalysisSettings } from './analysis';
import { displayPath, placesIn, type Source } from './source';

/** All that decides findings beside the files around. Plain data: workers get it, and kept results have it as key. */
export interface CheckSettings {
  readonly analysis: AnalysisSettings;
  /** Ids of the rules to run; all when absent. */
  readonly only?: readonly string[] | undefined;
  /**
   * Where findings are hints: names, and the folders below which they count. Without names `warplens.json` decides,
   * else the default.
   */
  readonly quiet: { readonly paths?: readonly string[] | undefined; readonly below: readonly string[] };
  /** Fixes are tried: only those that pass are offered. */
  readonly tries?: boolean | undefined;
  /** Compilers' remarks, by the name of the log. */
  readonly feedback: readonly { readonly source: string; readonly text: string }[];
}

export interface FileResult {
  readonly findings: readonly ResolvedFinding[];
  /** How many functions and constructs comments mark. */
  readonly marked: Marked;
  /** What the analysis omitted: missing headers, for example. */
  readonly notes: readonly Note[];
  /** What has no figures, and why. */
  readonly unread: readonly UnreadPlace[];
  /** The project's configuration fails where there is some. */
  readonly failsUnread?: true;
  /** One sentence on the parts that were not read because the file exceeds a limit of work or memory. */
  readonly excess?: string;
  /** Problems outside the file: an unreadable build file, a failed rule. */
  readonly sentences: readonly string[];
  /** What the result depends on: questions of files with digests of their answers. Empty if it must not be cached. */
  readonly asked: readonly (readonly [string, string])[];
}
/** Something that was not read, with its line and column, from 1. */
export interface UnreadPlace extends Omit<Unread, 'at'> {
  readonly line: number;
  readonly column: number;
}
/** A remark with its line and column, from 1. */
export interface Note {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export interface Checker {
  /** Checks a file as it is on disk, or with another text in its place. */
  check(source: Source): Promise<FileResult>;
  /** What tries fixes of the file, and reads other texts of it. */
  trials(path: string): Trials;
  /** Findings of a text with the fixes that are offered and their verdicts. */
  judged(findings: readonly ResolvedFinding[], text: string, trials?: Trials): readonly ResolvedFinding[];
  written(path: string): void;
}

/** The innermost of the folders counts, so that a folder of tests that is named is not quiet. */
export function isQuiet(
  path: string,
  { paths, below }: CheckSettings['quiet'],
  configuration: Configuration | undefined,
): boolean {
  if (paths === undefined && configuration?.isQuiet) return configuration.isQuiet(path);
  const inner = below
    .map((folder) => relative(folder, path).split(sep).join('/'))
    .filter((each) => !each.startsWith('../') && !isAbsolute(each))
    .sort((a, b) => a.length - b.length)[0];
  return isQuietPath(inner ?? basename(path), paths ?? defaultSettings.quietPaths);
}

/** Marks without the edits of the findings that they lead to: thousands of them may share thousands. */
function withoutRepeatedEdits(findings: readonly ResolvedFinding[]): readonly ResolvedFinding[] {
  const listed = new Set(findings.flatMap(({ markOf, fixes }) => (markOf ? [] : fixes.map(({ edits }) => edits))));
  const shown = (fix: Fix): Fix => (listed.has(fix.edits) ? { ...fix, edits: [] } : fix);
  return findings.map((finding) => (finding.markOf ? { ...finding, fixes: finding.fixes.map(shown) } : finding));
}

function withPlaces<T extends { readonly at: Span }>(
  list: readonly T[],
  places: ReturnType<typeof placesIn>,
): readonly (Omit<T, 'at'> & { readonly line: number; readonly column: number })[] {
  return list.map(({ at, ...rest }) => {
    const { line, column } = places(at);
    return { line, column, ...rest };
  });
}

/** Folders whose files are kept while others are checked: the folders of one program follow each other. */
const mostFolders = 8;
/**
 * Text of kept files, in UTF-16 units: its trees and values, some fifty bytes for each, may take half of the heap. A
 * library as large as PyTorch with CUDA stays in 4 GB while others are checked.
 */
const mostKeptText = getHeapStatistics().heap_size_limit / 2 / 50;

/**
 * Forgets files that were not read for some folders: the headers of one program are shared between its folders, and
 * over a large tree they must not pile up.
 */
export function createRecentFiles(
  forget: (uri: string) => void,
  mostText = mostKeptText,
): {
  /** Files from another folder may be checked from now on. */
  enter(folder: string): void;
  read(files: readonly { readonly uri: string; readonly text: string }[]): void;
} {
  let current = '';
  let visit = 0;
  /** Oldest first. */
  const kept = new Map<string, { readonly visit: number; readonly length: number }>();
  let keptText = 0;
  /** A library's headers, however long: the next file includes them, too, most often. */
  let lastRead: ReadonlySet<string> = new Set();
  return {
    enter(folder) {
      if (folder === current) return;
      current = folder;
      visit++;
      for (const [uri, { visit: last, length }] of kept) {
        if (lastRead.has(uri) || (visit - last < mostFolders && keptText <= mostText)) break;
        kept.delete(uri);
        keptText -= length;
        forget(uri);
      }
    },
    read(files) {
      lastRead = new Set(files.map(({ uri }) => uri));
      for (const { uri, text } of files) {
        keptText += text.length - (kept.get(uri)?.length ?? 0);
        kept.delete(uri);
        kept.set(uri, { visit, length: text.length });
      }
    },
  };
}

export async function createChecker(settings: CheckSettings): Promise<Checker> {
  const troubles: string[] = [];
  const observer = createObserver(() => {
    /* reported with the file that needs it */
  });
  const files = observeFiles(nodeFileSystem, observer);
  const workspace = await openWorkspace(settings.analysis, () => {}, { fileSystem: files, observer });
  for (const { source, text } of settings.feedback) workspace.takeCompilerLog(source, text);
  const only = settings.only ? new Set(settings.only) : undefined;
  const recent = createRecentFiles((uri) => workspace.forget(uri));
  let version = 0;

  function analyse({ path, text }: Source): Version & {
    readonly marked: Marked;
    readonly excess: string | undefined;
    readonly unread: () => readonly Unread[];
    readonly failsUnread: boolean;
  } {
    const analysed = workspace.analyse(uriOf(path), { text, version: ++version })!;
    recent.read(analysed.files);
    const configuration = workspace.configurationOf(uriOf(path));
    const result = lint(analysed.model, text, {
      gpu: analysed.gpu,
      only,
      settings: mergedRules(configuration, {}),
      quiet: isQuiet(path, settings.quiet, configuration),
    });
    for (const failure of result.failures)
      troubles.push(
        `${displayPath(path)}: the rule ${failure.rule} failed (${failure.error}); please report this file.`,
      );
    const { model, gpu, excess, unread } = analysed;
    const { findings, marked } = result;
    return { text, model, gpu, findings, marked, excess, unread, failsUnread: configuration?.failOnUnread === true };
  }

  const judged: Checker['judged'] = (findings, text, trials) => {
    const offered = new Map<Fix['edits'], readonly Fix[]>();
    const heads = findings.map((finding) => {
      if (finding.markOf) return finding;
      const { offers, verdict } = verdictOf(finding, text, trials);
      for (const { edits } of finding.fixes) offered.set(edits, []);
      for (const { fix, tried } of offers) offered.set(fix.edits, [tried]);
      return { ...finding, fixes: offers.map(({ tried }) => tried), verdict };
    });
    // A mark has the fixes of the finding that it leads to.
    const shown = (fix: Fix): readonly Fix[] => offered.get(fix.edits) ?? [fix];
    return heads.map((finding) => (finding.markOf ? { ...finding, fixes: finding.fixes.flatMap(shown) } : finding));
  };

  return {
    async check(source) {
      const { path, text } = source;
      const uri = uriOf(path);
      await workspace.ready(uri);
      recent.enter(dirname(path));
      troubles.length = 0;
      const { value, asked } = observer.watch(() => {
        files.read(path);
        return analyse(source);
      });
      const places = placesIn(text);
      const unread = withPlaces(value.unread(), places);
      const trials = createTrials(uri, (next) => (next === text ? value : analyse({ path, text: next })));
      const findings = judged(value.findings, text, settings.tries ? trials : undefined);
      workspace.retire(uri);
      return {
        findings: withoutRepeatedEdits(findings),
        marked: value.marked,
        notes: withPlaces(value.model.notes, places),
        unread,
        ...(value.failsUnread && { failsUnread: true }),
        ...(value.excess !== undefined && { excess: value.excess }),
        sentences: [...asked.sentences, ...troubles],
        // The workspace keeps Fortran modules itself, without recording their source.
        asked: troubles.length > 0 || isFortran(path) ? [] : [...asked.answers],
      };
    },
    trials: (path) => createTrials(uriOf(path), (text) => analyse({ path, text })),
    judged,
    written: (path) => files.touched(path),
  };
}
