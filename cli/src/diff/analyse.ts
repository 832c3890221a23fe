// Figures of the files that a change may affect, in both versions of the program.
import { sep } from 'node:path';
import { carryLines } from '../../../profiler/src/lines/carryOver';
import { compare, type Comparison, type EditedLines } from '../../../server/src/comparison/compare';
import { type FileFigures, figuresOf, isSameProgram } from '../../../server/src/comparison/figures';
import { unreadText } from '../../../server/src/rules/unreadWording';
import { lint } from '../../../server/src/lint/lint';
import { createSyntax, type Syntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import { isFortran } from '../../../server/src/workspace/fortran';
import { mergedRules } from '../../../server/src/workspace/configurationFile';
import {
  createObserver,
  observeFiles,
  type ObservedFiles,
  type Observer,
} from '../../../server/src/workspace/observedFiles';
import type { Workspace, WorkspaceOptions } from '../../../server/src/workspace/workspace';
import { openWorkspace, uriOf, type AnalysisSettings } from '../analysis';
import { isQuiet, type CheckSettings } from '../checking';
import { openCache, type Kept, type ResultCache } from '../resultCache';
import { excluderOf, mayHoldDeviceCode } from '../source';
import { isCode, shownPath, type Side, type Sides } from './sides';
import { count } from './words';

interface AnalysedSides {
  readonly before: readonly FileFigures[];
  readonly after: readonly FileFigures[];
  /** Changed lines of the later version, by changed file. */
  readonly edited: readonly EditedLines[];
  /** Files read of the later version. */
  readonly files: number;
  /** Files that a change may affect, beyond the limit of files read. */
  readonly left: readonly string[];
}

/** Thousands of files include a header of a large library; changed files themselves are always read. */
const mostConcerned = 200;

export interface DiffSettings {
  readonly analysis: AnalysisSettings;
  readonly quiet: CheckSettings['quiet'];
  /** Patterns of paths that are not compared, as in .gitignore, relative to the working directory. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether figures are cached on disk. */
  readonly keep?: boolean;
}

interface KeptFigures extends Kept {
  readonly figures: FileFigures;
}

/** A version that is being read. */
interface OpenSide {
  readonly files: ObservedFiles;
  readonly workspace: Workspace;
  readonly observer: Observer;
  readonly kept: ResultCache<KeptFigures> | undefined;
}

export interface ComparedSides {
  readonly comparison: Comparison;
  /** Files read of the later version. */
  readonly files: number;
  /** Sentences on what was not read. */
  readonly notes: readonly string[];
}

/** Two versions compared. */
export async function compareSides(
  sides: Sides,
  settings: DiffSettings,
  complain: (sentence: string) => void,
  parsers?: Syntax,
): Promise<ComparedSides> {
  const { before, after, edited, files, left } = await analyseSides(sides, settings, complain, parsers);
  const names = new Map(
    sides.changed.flatMap((each) =>
      each.before !== undefined && each.after !== undefined
        ? [[shownPath(sides.top, each.after), shownPath(sides.top, each.before)] as const]
        : [],
    ),
  );
  const comparison = compare(before, after, (path) => names.get(path) ?? path, edited);
  return {
    comparison,
    files,
    notes: [
      ...comparison.excess.map(({ path, sentence }) => `${path}: ${sentence}`),
      ...comparison.notes.map(({ at, text }) => `${at.path}:${at.line}: note: ${text}`),
      ...comparison.unread.map((part) => `${part.at.path}:${part.at.line}: not read: ${unreadText(part)}.`),
      ...(left.length > 0
        ? [`Of the files that the change may affect, ${count(left.length, 'file')} more were not read.`]
        : []),
    ],
  };
}

/** `complain` gets sentences on unreadable build files; `parsers` are created if none are given. */
async function analyseSides(
  sides: Sides,
  settings: DiffSettings,
  complain: (sentence: string) => void,
  parsers?: Syntax,
): Promise<AnalysedSides> {
  const syntax = parsers ?? (await createSyntax(readGrammarFiles()));
  // Read each file in both versions before the next, so that unchanged results are computed once.
  const caches: NonNullable<WorkspaceOptions['caches']> = new Map();
  const open = async (side: Side, name: string): Promise<OpenSide> => {
    const observer = createObserver(() => {
      /* reported by the workspace */
    });
    const files = observeFiles(side.files, observer);
    const workspace = await openWorkspace(settings.analysis, complain, { fileSystem: files, observer, syntax, caches });
    const about = { diff: name, top: sides.top, analysis: settings.analysis, quiet: settings.quiet };
    const kept = settings.keep ? openCache<KeptFigures>(about, files) : undefined;
    return { files, workspace, observer, kept };
  };
  const [before, after] = [await open(sides.before, 'before'), await open(sides.after, 'after')];
  const changed = new Set(
    sides.changed.flatMap((each) => [each.before, each.after].filter((path) => path !== undefined)).filter(isCode),
  );
  // Comments and layout change no figure, here and where the file is included.
  const same = new Set(
    [...changed].filter((path) => {
      const [one, other] = [before.files.read(path)?.text, after.files.read(path)?.text];
      return one !== undefined && other !== undefined && !isFortran(path) && isSameProgram(one, other);
    }),
  );
  const concerned = new Set<string>();
  for (const path of changed)
    if (!same.has(path))
      for (const { workspace } of [before, after])
        for (const each of workspace.concernedBy(path)) if (isWithin(sides.top, each)) concerned.add(each);
  const isExcludedHere = excluderOf(settings.exclude ?? [], [sides.top]);
  const isExcluded = (path: string): boolean =>
    isExcludedHere(path) || after.workspace.configurationOf(uriOf(path))?.isExcluded(path) === true;
  const others = [...concerned].filter((path) => !changed.has(path));
  const paths = [...changed, ...others.slice(0, mostConcerned)].filter((path) => !isExcluded(path)).sort();
  const one: FileFigures[] = [];
  const other: FileFigures[] = [];
  for (const path of paths) {
    const now = await figuresOfFile(sides, after, path, settings);
    other.push(...now);
    one.push(...(same.has(path) && !concerned.has(path) ? now : await figuresOfFile(sides, before, path, settings)));
    for (const { workspace } of [before, after]) workspace.retire(uriOf(path));
  }
  for (const { kept } of [before, after]) kept?.trim();
  return {
    before: one,
    after: other,
    edited: editedLines({ ...sides, changed: sides.changed.filter(({ after: path }) => !path || !same.has(path)) }),
    files: other.length,
    left: others.slice(mostConcerned).sort(),
  };
}

function editedLines({ changed, before, after, top }: Sides): readonly EditedLines[] {
  return changed.flatMap((each) => {
    const path = each.after;
    const now = path !== undefined && isCode(path) ? after.files.read(path)?.text : undefined;
    if (path === undefined || now === undefined) return [];
    const old = each.before === undefined ? '' : (before.files.read(each.before)?.text ?? '');
    const kept = new Set<number>();
    const carry = carryLines(old, now);
    for (let line = 1, last = old.split('\n').length; line <= last; line++) kept.add(carry.lineNow(line) ?? 0);
    const found: { path: string; first: number; last: number }[] = [];
    for (let line = 1, last = now.split('\n').length; line <= last; line++) {
      if (kept.has(line)) continue;
      if (found.at(-1)?.last === line - 1) found.at(-1)!.last = line;
      else found.push({ path: shownPath(top, path), first: line, last: line });
    }
    return found;
  });
}

/** Files outside the program belong to neither version. */
function isWithin(top: string, path: string): boolean {
  return path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

/** Nothing for a file that the side lacks or that has no device code. */
async function figuresOfFile(
  sides: Sides,
  { files, workspace, observer, kept }: OpenSide,
  path: string,
  settings: DiffSettings,
): Promise<readonly FileFigures[]> {
  const known = kept?.get(path);
  if (known) return [known.figures];
  const text = files.read(path)?.text;
  if (text === undefined || !mayHoldDeviceCode(path, text)) return [];
  const uri = uriOf(path);
  await workspace.ready(uri);
  const { value: figures, asked } = observer.watch(() => {
    files.read(path);
    const { model, gpu, excess, unread } = workspace.analyse(uri, { text, version: 1 })!;
    const configuration = workspace.configurationOf(uri);
    const { findings } = lint(model, text, {
      gpu,
      settings: mergedRules(configuration, {}),
      quiet: isQuiet(path, settings.quiet, configuration),
    });
    return figuresOf(shownPath(sides.top, path), text, model, findings, gpu, excess, unread());
  });
  // Sentences for the user are repeated on each run.
  kept?.put(path, { figures, asked: asked.sentences.size > 0 ? [] : [...asked.answers] });
  return [figures];
}
