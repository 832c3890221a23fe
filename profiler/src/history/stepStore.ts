/** The history on disk: the table of steps beside the reports, and the sources of each step by their content. */

import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { splitIncludeFolders } from '../build/build';
import type { BuildRequest } from '../build/build';
import { commonFolder, includeClosure } from '../build/includes';
import type { PathMap } from '../lines/sourceMapping';
import { disassemblyPath } from '../sass/keptDisassembly';
import { runHere } from '../transport/channel';
import { filesBelow, removeFiles } from '../transport/folderFiles';
import { namesIn, readTextIfThere, whileLocked, writeResultText } from '../transport/resultFile';
import { changedFiles, changeSince } from './change';
import type { ChangedFile, SourceText } from './change';
import { labelOf, readSteps, seriesNameOf, writeSteps } from './steps';
import type { Step } from './steps';

export interface History {
  readonly steps: readonly Step[];
  readonly baselines: Readonly<Record<string, number>>;
  /** The file is there and is none of ours. */
  readonly broken: boolean;
}

const stepsName = 'steps.json';
const textsFolder = 'sources';

export async function readHistory(store: string): Promise<History> {
  const { steps, broken, baselines = {} } = readSteps(await readTextIfThere(join(store, stepsName)));
  return { steps, broken, baselines };
}

/**
 * Adds a step behind the others and gives it back with its label, its change since the step before, and a note where
 * the table had to be restarted.
 */
export async function addStep(
  store: string,
  step: Omit<Step, 'number' | 'label' | 'change' | 'sources'> & { readonly label?: string | undefined },
  texts: readonly SourceText[],
  folder: string,
): Promise<Step> {
  // Another window may add one at the same time.
  return whileLocked(join(store, stepsName), () => addAlone(store, step, texts, folder));
}

async function addAlone(
  store: string,
  step: Parameters<typeof addStep>[1],
  texts: readonly SourceText[],
  folder: string,
): Promise<Step> {
  const notes: string[] = [];
  const path = join(store, stepsName);
  const history = await readHistory(store);
  if (history.broken) {
    // A file that this version cannot read is somebody's history all the same: it moves aside.
    await writeResultText(join(store, `steps-unreadable-${Date.now()}.json`), (await readTextIfThere(path)) ?? '');
    notes.push(`${path} could not be read; it was renamed, and a new table of steps was started.`);
  }
  const series = seriesNameOf(step);
  const others = history.steps.filter((other) => seriesNameOf(other) === series).sort((a, b) => b.number - a.number);
  const before = others[0];
  // Steps may have been removed: a label is never given twice.
  const position = Math.max(
    others.length,
    ...others.map(({ label }) => Number(/^step (\d+)$/.exec(label)?.[1] ?? 0) + 1),
  );
  const sources = await keepTexts(store, texts);
  const change = before && changeSince(before, step, changedFiles(await textsOf(store, before), texts), folder);
  const made: Step = {
    ...step,
    number: history.steps.reduce((most, { number }) => Math.max(most, number + 1), 0),
    label: step.label ?? labelOf(position),
    sources,
    notes: [...step.notes, ...notes],
    ...(change && { change }),
  };
  await writeResultText(path, writeSteps([...history.steps, made], history.baselines));
  return made;
}

/** Names a step, or takes the user's words for what it tries. Words that are empty are taken away. */
export async function describeStep(
  store: string,
  number: number,
  words: { readonly label?: string; readonly remark?: string },
): Promise<void> {
  await update(store, ({ steps, baselines }) => ({
    baselines,
    steps: steps.map((step) => {
      if (step.number !== number) return step;
      const { remark, ...rest } = step;
      const kept = words.remark === undefined ? remark : words.remark.trim() || undefined;
      return { ...rest, label: words.label?.trim() || step.label, ...(kept !== undefined && { remark: kept }) };
    }),
  }));
}

/** What the other steps of its series are compared with from now on. */
export async function setBaseline(store: string, number: number): Promise<void> {
  await update(store, ({ steps, baselines }) => {
    const step = steps.find((one) => one.number === number);
    return { steps, baselines: step ? { ...baselines, [seriesNameOf(step)]: number } : baselines };
  });
}

/** Takes a step out of the table, with its report and the sources that no other step has. */
export async function removeStep(store: string, number: number): Promise<void> {
  let removed: Step | undefined;
  const { steps } = await update(store, ({ steps: all, baselines }) => {
    removed = all.find((step) => step.number === number);
    return {
      steps: all.filter((step) => step.number !== number),
      baselines: Object.fromEntries(Object.entries(baselines).filter(([, baseline]) => baseline !== number)),
    };
  });
  if (!removed) return;
  const report = steps.some((step) => step.report === removed!.report) ? undefined : reportPath(store, removed);
  const used = new Set(steps.flatMap((step) => step.sources.map(({ sha256 }) => sha256)));
  await removeFiles([
    ...(report ? [report, disassemblyPath(report)] : []),
    ...removed.sources.filter(({ sha256 }) => !used.has(sha256)).map(({ sha256 }) => textPath(store, sha256)),
  ]);
}

/** The report of a step; undefined where the table names something that is not beside it. */
export function reportPath(store: string, { report }: Pick<Step, 'report'>): string | undefined {
  return basename(report) === report && /\.ncu-rep$/i.test(report) ? join(store, report) : undefined;
}

/** Folders of the compiler's paths and of this machine for a report of the history; none for other reports. */
export async function foldersOfReport(report: string): Promise<readonly PathMap[]> {
  // Asked once for each source of a report.
  if (lastFolders?.report !== report || Date.now() - lastFolders.at > rememberedMilliseconds) {
    const found = readHistory(dirname(report)).then(
      ({ steps }) => steps.find((step) => step.report === basename(report))?.folders ?? [],
      () => [],
    );
    lastFolders = { report, at: Date.now(), found };
  }
  return lastFolders.found;
}

const rememberedMilliseconds = 500;
let lastFolders:
  | { readonly report: string; readonly at: number; readonly found: Promise<readonly PathMap[]> }
  | undefined;

/** The sources of a step as far as they were kept. */
export async function textsOf(store: string, step: Pick<Step, 'sources'>): Promise<SourceText[]> {
  const texts: SourceText[] = [];
  for (const { path, sha256 } of step.sources) {
    const text = await readTextIfThere(textPath(store, sha256));
    if (text !== undefined) texts.push({ path, text });
  }
  return texts;
}

/**
 * The step that another came after, and the files that differ between the two; undefined for the first, and where no
 * sources were kept.
 */
export async function changeOf(
  store: string,
  step: Step,
  steps: readonly Step[],
): Promise<{ before: Step; files: readonly ChangedFile[] } | undefined> {
  const series = steps
    .filter((other) => seriesNameOf(other) === seriesNameOf(step) && other.number < step.number)
    .sort((a, b) => b.number - a.number);
  const before = series.find(({ number }) => number === step.change?.since) ?? series[0];
  if (!before) return undefined;
  const [old, now] = [await textsOf(store, before), await textsOf(store, step)];
  return old.length === 0 || now.length === 0 ? undefined : { before, files: changedFiles(old, now) };
}

const sourceName = /\.(cu|cuh|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|f90|F90|f|F|py)$/;
const bounds = { files: 500, bytes: 512 << 10, folders: 1_000 };

/**
 * What is built, as it is now: the sources with their includes, and for a build or program of the user's the sources in
 * its folder.
 */
export async function sourcesOf(build: BuildRequest): Promise<SourceText[]> {
  const own = build.command !== undefined || build.built === true;
  const paths = await includeClosure(
    build.files,
    splitIncludeFolders(build.flags, build.folder).folders,
    readTextIfThere,
  );
  const texts = new Map<string, string>();
  for (const path of [
    ...paths,
    ...(own ? await filesBelow(build.folder, (name) => sourceName.test(name), bounds) : []),
  ]) {
    const text = await readTextIfThere(path);
    if (text !== undefined && !text.includes('\0')) texts.set(path, text);
  }
  return [...texts].map(([path, text]) => ({ path, text }));
}

/** The folder relative to which changes are shown: that of the build, if it contains the sources. */
export function folderOf(build: BuildRequest): string {
  return build.files.length === 0 ||
    build.files.every(
      (file) => !relative(build.folder, file).startsWith('..') && !isAbsolute(relative(build.folder, file)),
    )
    ? build.folder
    : commonFolder(build.files.map((file) => resolve(file)));
}

/** The commit of a folder, and whether these files are as it has them; undefined outside of git. */
export async function commitOf(folder: string, files: readonly string[]): Promise<Step['commit']> {
  const git = (...words: string[]) => runHere({ file: 'git', args: ['-C', folder, ...words] }, 5_000);
  const head = await git('log', '-1', '--format=%h%n%s');
  const [id, subject] = head.output.split('\n');
  if (head.code !== 0 || !id || subject === undefined) return undefined;
  const status = await git('status', '--porcelain', '--', ...files.slice(0, 200));
  return { id, subject, clean: status.code === 0 && status.output.trim() === '' };
}

async function update(
  store: string,
  change: (history: History) => Pick<History, 'steps' | 'baselines'>,
): Promise<Pick<History, 'steps' | 'baselines'>> {
  return whileLocked(join(store, stepsName), async () => {
    const history = await readHistory(store);
    if (history.broken) return history;
    const next = change(history);
    await writeResultText(join(store, stepsName), writeSteps(next.steps, next.baselines));
    return next;
  });
}

/** Keeps texts under the hash of their content: a source that did not change between steps is there once. */
async function keepTexts(store: string, texts: readonly SourceText[]): Promise<{ path: string; sha256: string }[]> {
  const there = new Set(await namesIn(join(store, textsFolder)));
  const kept = [];
  for (const { path, text } of texts) {
    const sha256 = createHash('sha256').update(text).digest('hex');
    if (!there.has(`${sha256}.txt`)) await writeResultText(textPath(store, sha256), text);
    there.add(`${sha256}.txt`);
    kept.push({ path, sha256 });
  }
  return kept;
}

function textPath(store: string, sha256: string): string {
  return join(store, textsFolder, `${sha256}.txt`);
}
