// An agent's questions on code: findings of files, figures of one kernel, and the effect of a change on them.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isAtLeast, type ResolvedFinding } from '../../../server/src/lint/finding';
import { refusalText } from '../../../server/src/lint/refusals';
import { timeOrder } from '../../../profiler/src/evidence/predictedOrder';
import { thresholds } from '../../../server/src/cost/grade';
import { createRank, trafficOf } from '../../../server/src/cost/traffic';
import { conditions, rangeText, ratioRangeText } from '../../../server/src/rules/wording';
import { unreadCounts, unreadShare, unreadText } from '../../../server/src/rules/unreadWording';
import type { AccessFact, Unread } from '../../../server/src/semantic/model';
import { figureRange, idealRange, ratioRange } from '../../../server/src/semantic/figures';
import type { Fix, Severity } from '../../../server/src/rules/rule';
import type { Syntax } from '../../../server/src/syntax';
import { verdictOf } from '../../../server/src/verdict/verdict';
import { nodeFileSystem } from '../../../server/src/workspace/nodeFileSystem';
import { isIncludeNote } from '../../../server/src/workspace/includeNotes';
import { openWorkspace, pathOf, placeFinder, uriOf, type AnalysisSettings } from '../analysis';
import type { CheckedFile } from '../checkedFile';
import { resultsOf } from '../checkResults';
import type { CheckSettings, FileResult } from '../checking';
import { compareSides } from '../diff/analyse';
import { openSides, shownPath } from '../diff/sides';
import { accessText, count, metricRows, numberText, reasonsOf, summaryOf, changeVerdict } from '../diff/words';
import { describe, loopLines, nothingHere } from '../model';
import { gainOf } from '../json';
import { byCost, withoutCalls } from '../order';
import { BadUse, findSources, mayHoldDeviceCode, readSource, type Source } from '../source';
import { answerOf, type Item, longestAnswer, type ToolAnswer } from './answer';
import { fixTexts } from './fixText';
import { pathWithin } from './sources';

export interface CodeQuestion {
  /** When the client asked, in milliseconds: its patience began then. */
  readonly came: number;
  readonly root: string;
  readonly analysis: AnalysisSettings;
  /** Created for the first question that needs them. */
  readonly parsers: () => Promise<Syntax>;
  /** Hears how many files of how many are read. */
  readonly progress?: (done: number, total: number) => void;
}

const mostUnreadFiles = 8;
const mostUnread = 24;
/** Milliseconds after which an answer comes, with findings and without: clients give up after a while. */
const patience = { findings: 4000, none: 4800 } as const;

interface Job {
  readonly sources: readonly Source[];
  readonly skipped: readonly string[];
  readonly results: (FileResult | undefined)[];
  /** The first result with a finding. */
  readonly first: Promise<unknown>;
  readonly all: Promise<unknown>;
}

/** Checks that go on after an answer in part, by what was asked: the same question waits for the rest. */
const running = new Map<string, Job>();

/** The check of these paths: the one that goes on, or a new one. */
function jobOf(question: CodeQuestion, paths: readonly string[], settings: CheckSettings): Job {
  const key = JSON.stringify([settings, paths]);
  const known = running.get(key);
  if (known) return known;
  const skipped: string[] = [];
  const sources = findSources(
    paths.map((path) => pathWithin(question.root, path)),
    (sentence) => skipped.push(sentence),
  );
  if (sources.length === 0) throw new BadUse(`There are no CUDA or OpenACC sources in ${paths.join(', ')}.`);
  const results: (FileResult | undefined)[] = sources.map(() => undefined);
  let finished = 0;
  let found!: () => void;
  const first = new Promise<void>((resolve) => {
    found = resolve;
  });
  // Threads start before the first file is read: the client hears at once how much there is.
  question.progress?.(0, sources.length);
  const all = resultsOf(sources, settings, {
    cache: true,
    done: (at, result) => {
      results[at] = result;
      if (result.findings.length > 0) found();
      question.progress?.(++finished, sources.length);
    },
  }).finally(() => running.delete(key));
  // Who asks again hears of a failure.
  all.catch(() => {});
  const job = { sources, skipped, results, first, all };
  running.set(key, job);
  return job;
}

/** Findings below paths, most expensive first, preceded by notes on files that were not read. */
export async function checkAnswer(
  question: CodeQuestion,
  paths: readonly string[],
  least: Severity,
  rule?: string,
): Promise<ToolAnswer> {
  const { root, analysis, came } = question;
  const settings: CheckSettings = {
    analysis,
    quiet: { below: [root] },
    feedback: [],
    tries: true,
    ...(rule === undefined ? {} : { only: [rule] }),
  };
  const { sources: named, skipped, results: made, first, all: whole } = jobOf(question, paths, settings);
  await before(came + patience.findings, whole);
  await before(came + patience.none, Promise.race([first, whole]));
  const known = [...made];
  const sources = named.filter((_, at) => known[at]);
  const results = known.filter((result) => result !== undefined);
  const files: CheckedFile[] = sources.map(({ path, text }, at) => ({
    path,
    uri: uriOf(path),
    text,
    findings: results[at]!.findings,
  }));
  const all = byCost(withoutCalls(files.filter(({ findings }) => findings.length > 0)), timeOrder);
  const told = all.filter(({ finding }) => isAtLeast(finding.severity, least));
  const worthwhile = all.filter(({ finding }) => isWorthwhile(finding)).length;
  const placeOf = placeFinder(new Map(files.map(({ uri, text }) => [uri, text])));
  const cut = results.flatMap(({ excess }, at) =>
    excess === undefined ? [] : [`Read in part: ${shownPath(root, sources[at]!.path)}: ${excess}`],
  );
  const unread = results
    .map(({ unread: list }, at) => ({ list, path: shownPath(root, sources[at]!.path) }))
    .filter(({ list }) => list.length > 0)
    .sort((a, b) => b.list.length - a.list.length);
  const missing = new Set(results.flatMap(({ notes }) => notes.map(({ text }) => text)));
  return answerOf({
    head: [
      ...(sources.length < named.length
        ? [
            `PARTIAL: ${sources.length} of ${count(named.length, 'file')} are read so far; the others may hold what ` +
              'costs more. Call check again with the same arguments for all, or with fewer paths.',
          ]
        : []),
      sources.length < named.length && told.length === 0
        ? `No finding of ${least} or above so far, which says nothing of the files that are not read yet.`
        : `${told.length} of ${all.length} findings in ${count(sources.length, 'file')}: ${least} or above, errors ` +
          'first, then what saves most time in known launches.',
      ...(sources.length === named.length && worthwhile < all.length
        ? [`Worth a change by prediction: ${worthwhile} of ${all.length}; the rest gain less than 5 %.`]
        : []),
      ...[...cut, ...skipped].slice(0, 8),
      ...unread
        .slice(0, mostUnreadFiles)
        .map(({ path, list }) => `Not read of ${path}: ${unreadCounts(list)}. The model tool lists them.`),
      ...(unread.length > mostUnreadFiles ? [`So in ${unread.length - mostUnreadFiles} more files.`] : []),
      ...(missing.size > 0
        ? [`Not analysed (${count(missing.size, 'note')}): ${[...missing].slice(0, 3).join(' ')}`]
        : []),
      ...([...missing].some(isIncludeNote) ? [howToFindHeaders] : []),
    ],
    lines: told.map(({ file, finding }) => {
      const [path, line] = [shownPath(root, file.path), placeOf(finding.at)?.line ?? 1];
      const { severity, rule, message, kernel, fixes } = finding;
      return {
        text: `${path}:${line} ${severity} ${rule}: ${sentencesOf(finding)}`,
        ...{ file: path, line, severity, rule, message, kernel: kernel ?? null, gain: gainOf(finding) ?? null },
        fixes: fixes.map(({ title, applicability }) => ({ title, applicability })),
      };
    }),
    narrower: 'Ask for fewer paths, one rule, or a higher severity.',
  });
}

const before = (time: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, setTimeout(Math.max(0, time - Date.now()), undefined, { ref: false })]);

/** What an agent can do about missing headers: it gives no flags. */
const howToFindHeaders =
  'List the folders of missing headers as "includeFolders" in warplens.json, or generate compile_commands.json, and ' +
  'ask again.';

function isWorthwhile({ severity, expectedGain = 1 }: ResolvedFinding): boolean {
  return severity === 'error' || severity === 'warning' || expectedGain >= thresholds.information;
}

function sentencesOf(finding: ResolvedFinding): string {
  return [finding.text, ...(finding.verdict ?? verdictOf(finding, '').verdict).sentences].join(' ');
}

/** The fixes of the findings on a line: title, edits and diff of each. */
export async function fixAnswer({ root, analysis }: CodeQuestion, file: string, line: number): Promise<ToolAnswer> {
  const path = pathWithin(root, file);
  const text = readSource(path);
  if (typeof text !== 'string') throw new BadUse(`${file} ${text.problem}.`);
  const settings: CheckSettings = { analysis, quiet: { below: [root] }, feedback: [], tries: true };
  const [result] = await resultsOf([{ path, text }], settings, { cache: true });
  const placeOf = placeFinder(new Map([[uriOf(path), text]]));
  const fixable = result!.findings.filter(({ fixes, at }) => fixes.length > 0 && at.uri === uriOf(path));
  const found = result!.findings.filter((finding) => placeOf(finding.at)?.line === line);
  const lines = [...new Set(fixable.map(({ at }) => placeOf(at)?.line))].join(', ');
  const others = lines === '' ? 'No finding of this file has a fix.' : `Lines of this file with fixes: ${lines}.`;
  if (found.length === 0) throw new BadUse(`There is no finding on ${file}:${line}. ${others}`);
  if (!found.some(({ fixes }) => fixes.length > 0)) {
    const why = found.flatMap((finding) => refusalText(finding) ?? 'No automatic fix.').join(' ');
    throw new BadUse(`Findings on ${file}:${line}: ${why} The tool explain has the advice. ${others}`);
  }
  // Several findings may have the same fix.
  const seen = new Set<string>();
  const isNew = ({ edits }: Fix): boolean => seen.size < seen.add(JSON.stringify(edits)).size;
  const place = `${file}:${line}`;
  let room = longestAnswer - place.length - 500;
  return answerOf({
    head: [`Fixes of ${place}. Lines and columns from 1, ends exclusive; all edits of one fix belong together.`],
    lines: found.flatMap(({ rule, fixes }) =>
      fixes.filter(isNew).map((fix) => {
        const title = `${rule} (${fix.applicability}): ${fix.title}`;
        const { edits, diff } = fixTexts(fix, (each) => shownPath(root, each));
        const flags = `--fix${fix.applicability === 'safe' ? '' : ' --unsafe-fixes'} --rule ${rule}`;
        const forms = [
          `${title}\n${edits.text}\n${diff}`,
          `${title}\n${diff}`,
          `${title}\nIt is longer than an answer. To write it with the other fixes of the rule: ` +
            `warplens check ${flags} ${file}`,
        ];
        const form = forms.find(({ length }) => length <= room) ?? forms.at(-1)!;
        room -= form.length;
        const isWhole = form !== forms[2];
        return {
          text: form,
          ...{ rule, title: fix.title, applicability: fix.applicability, diff: isWhole ? diff : null },
          edits: form === forms[0] ? edits.list : null,
        };
      }),
    ),
    narrower: 'warplens check --fix --unsafe-fixes writes those of a whole file.',
    whole: true,
  });
}

/** The kernels of a file with their sums and its OpenACC loops, or each access of one kernel. */
export async function modelAnswer(
  { root, analysis, parsers }: CodeQuestion,
  file: string,
  wanted?: string,
): Promise<ToolAnswer> {
  const path = pathWithin(root, file);
  const text = readSource(path);
  if (typeof text !== 'string') throw new BadUse(`${file} ${text.problem}.`);
  if (!mayHoldDeviceCode(path, text))
    throw new BadUse(`${file} holds no CUDA or OpenACC code. Name a source file; check lists those with findings.`);
  const sentences: string[] = [];
  const workspace = await openWorkspace(analysis, (sentence) => sentences.push(sentence), {
    fileSystem: nodeFileSystem,
    syntax: await parsers(),
  });
  const uri = uriOf(path);
  await workspace.ready(uri);
  const { model, gpu, excess, unread } = workspace.analyse(uri, { text, version: 1 })!;
  const lost = unread().filter(({ what }) => what !== 'file');
  workspace.retire(uri);
  const placeOf = placeFinder(new Map([[uri, text]]));
  const rank = createRank(model, gpu);
  const head = [
    ...(excess === undefined ? [] : [`Read in part: ${excess}`]),
    ...[...sentences, ...model.notes.map((note) => note.text)].slice(0, 3),
    ...(model.notes.some((note) => isIncludeNote(note.text)) ? [howToFindHeaders] : []),
  ];
  // As this answer names it, too.
  const kernels = rank.kernels.filter(
    ({ name, fact }) => wanted === undefined || name === wanted || fact?.qualifiedName === wanted,
  );
  if (wanted !== undefined && kernels.length === 0)
    throw new BadUse(
      `There is no kernel "${wanted}" in ${file}. Its kernels: ` +
        `${rank.kernels.map(({ name }) => name).join(', ') || 'none'}.`,
    );
  const sums = (kernel: (typeof kernels)[number]): Item => {
    const { fact, sectors, wavefronts, launches } = kernel;
    const blocks = [
      ...new Set((fact?.shapes ?? []).map(({ block, assumed }) => `${block.join('×')}${assumed ? ' (assumed)' : ''}`)),
    ];
    const where = fact ? `line ${placeOf(fact.nameAt)?.line}` : 'defined elsewhere';
    const its = lost.filter(({ kernels: of }) => of.includes(kernel.name));
    const share = unreadShare(kernel.name, model.facts.access, its);
    const others = its.filter(({ what }) => what !== 'access');
    const cut = ['', ...(share === undefined ? [] : [share]), ...others.map(unreadText)].join('; ');
    // No figure is not a figure of zero.
    const hasFigures = model.facts.access.some(
      ({ kernels: of, sectors, wavefronts }) => of.includes(kernel.name) && (sectors ?? wavefronts) !== undefined,
    );
    const name = fact?.qualifiedName ?? kernel.name;
    if (!hasFigures && (its.length > 0 || fact?.notAnalysed !== undefined))
      return { text: `kernel ${name}, ${where}: its traffic could not be read${cut}`, kernel: name };
    const isLaunched = fact?.shapes.some(({ launchAt }) => launchAt !== undefined) === true;
    const repeated = isLaunched && launches > 1 ? `; the host launches it about ${numberText(launches)} times` : '';
    const text =
      `kernel ${name}, ${where}, blocks of ${blocks.join(' or ') || 'unknown'}: ` +
      `one block requests ${numberText(sectors)} sectors of global memory (32 bytes each) and ` +
      `${numberText(wavefronts)} wavefronts of shared memory${repeated}${cut}`;
    return { text, kernel: name, sectors, wavefronts };
  };
  const listed = (list: readonly Unread[]): string[] => [
    ...list.slice(0, mostUnread).map((one) => `line ${placeOf(one.at)?.line}: not read: ${unreadText(one)}`),
    ...(list.length > mostUnread ? [`${list.length - mostUnread} more were not read.`] : []),
  ];
  const loops = loopLines(describe(model, text, gpu.name, []).loops).filter(Boolean);
  const others = new Set(model.facts.launch.map(({ bodyAt, kernelAt }) => (bodyAt ?? kernelAt)?.uri ?? uri));
  others.delete(uri);
  const elsewhere = [...others].map((other) => `Its kernels are in ${shownPath(root, pathOf(other))}.`);
  const isEmpty = [kernels, loops, lost, model.facts.launch, model.facts.access].every(({ length }) => length === 0);
  if (wanted === undefined)
    return answerOf({
      head: [
        `${file}, figures for ${gpu.name}.${kernels.length > 0 ? ' Name a kernel for its accesses.' : ''}`,
        ...(isEmpty ? [nothingHere] : []),
        ...(kernels.length === 0 ? elsewhere : []),
        ...head,
        ...listed(lost.filter(({ what, kernels: of }) => what !== 'access' && (what === 'launch' || of.length === 0))),
      ],
      lines: [...[...kernels].sort((a, b) => b.sectors + b.wavefronts - a.sectors - a.wavefronts).map(sums), ...loops],
      narrower: 'Ask for one kernel by name.',
    });
  const accesses = model.facts.access
    .filter((fact) => rank.concerned([fact.at], fact.kernels).some((kernel) => kernels.includes(kernel)))
    .sort((a, b) => trafficOf(b) - trafficOf(a));
  return answerOf({
    head: [
      `${file}, figures for ${gpu.name}; sectors and wavefronts are a warp instruction's mean.`,
      ...kernels.map((kernel) => sums(kernel).text),
      ...head,
      ...listed(
        lost.filter(({ what, kernels: of }) => what === 'access' && kernels.some(({ name }) => of.includes(name))),
      ),
    ],
    lines: accesses.map((fact) => accessLine(fact, placeOf(fact.at)?.line, rank.shareOf(fact)?.share)),
    narrower: 'Only the most expensive are listed.',
  });
}

function accessLine(fact: AccessFact, line: number | undefined, share: number | undefined): Item {
  const said = [
    `${fact.gather ? `by index ${fact.gather.text}: ` : ''}${figuresText(fact)}`,
    fact.laneStride === undefined ? undefined : `neighbouring lanes ${fact.laneStride} bytes apart`,
    fact.cause,
    fact.activeLanes < 32 ? `${numberText(fact.activeLanes)} of 32 lanes active` : undefined,
    share === undefined
      ? undefined
      : `${numberText(100 * share)} % of the kernel's ${fact.space === 'shared' ? 'wavefronts' : 'sectors'}`,
    fact.certainty,
    fact.assumed.length > 0 ? conditions(fact.assumed).join('; ') : undefined,
  ];
  const text = fact.text.replace(/\s+/g, ' ');
  const known = said.filter((part) => part !== undefined).join(', ');
  const ratio = ratioRange(fact);
  return {
    text: `line ${line}: ${fact.space} ${fact.mode} of ${fact.elementBytes} bytes, ${text}: ${known}`,
    ...(line === undefined ? {} : { line }),
    ...(fact.sectors === undefined ? {} : { sectors: fact.sectors }),
    ...(fact.wavefronts === undefined ? {} : { wavefronts: fact.wavefronts }),
    ...(ratio ? { ratio: [...ratio] } : {}),
  };
}

/** `32 wavefronts instead of 1 (32.0×)`; `4–32 sectors instead of 4 (1–8×)` where the code leaves it open. */
function figuresText(fact: AccessFact): string {
  const unit = fact.space === 'shared' ? 'wavefront' : 'sector';
  const ratio = ratioRange(fact);
  if (!ratio) return fact.space === 'constant' ? 'no sectors, by the constant cache' : `${unit}s unknown`;
  const range = rangeText(figureRange(fact), numberText);
  const ideal = rangeText(idealRange(fact), numberText);
  return `${range} ${unit}${range === '1' ? '' : 's'} instead of ${ideal} (${ratioRangeText(ratio)})`;
}

/** The changes between two versions, as `warplens diff` compares them. */
export async function changeAnswer(
  { root, analysis, parsers }: CodeQuestion,
  base: string,
  head?: string,
): Promise<ToolAnswer> {
  // Folders also have to be in the root; anything else is a revision.
  for (const each of [base, head]) if (each !== undefined && existsSync(resolve(root, each))) pathWithin(root, each);
  const sides = openSides(base, head, root);
  const settings = { analysis, quiet: { below: [sides.top] } };
  const sentences: string[] = [];
  const { comparison, files, notes } = await compareSides(
    sides,
    settings,
    (sentence) => sentences.push(sentence),
    await parsers(),
  );
  return answerOf({
    head: [summaryOf(comparison, files), ...sentences, ...notes.map((note) => `Read in part: ${note}`)],
    lines: [
      ...comparison.changed.map((change) =>
        [
          `${change.after.at.path}:${change.after.at.line} ${change.after.signature} ${changeVerdict(change)}`,
          ...metricRows(change).map(({ name, before, after }) => `  ${name}: ${before} → ${after}`),
          ...reasonsOf(change).map((reason) => `  ${reason}`),
          ...change.accesses.slice(0, 4).map((access) => {
            const { at } = (access.after ?? access.before)!;
            return `  ${at.path}:${at.line} ${accessText(access, change.unit)}`;
          }),
        ].join('\n'),
      ),
      ...comparison.findings.map(
        ({ after: { at, finding } }) =>
          `${at.path}:${at.line} new ${finding.severity} ${finding.rule}: ${sentencesOf(finding)}`,
      ),
    ],
    narrower: 'Compare fewer commits at once.',
  });
}
