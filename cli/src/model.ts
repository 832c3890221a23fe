// warplens model: the facts of one file, for scripts, for tests against measurements, and for the curious.
import type { Command } from 'commander';
import { conditions, offIdealText, rangeText } from '../../server/src/rules/wording';
import type { AccessFact, Model, Span, Unread } from '../../server/src/semantic/model';
import { unreadText } from '../../server/src/rules/unreadWording';
import { figureRange, idealRange, ratioRange } from '../../server/src/semantic/figures';
import { kernelHead } from '../../server/src/workspace/kernelHead';
import { addOptions, type Terminal } from './options';
import { openWorkspace, pathOf, placeFinder, readAnalysisFlags, uriOf, type AnalysisFlags } from './analysis';
import { BadUse, displayPath, findSources, mayHoldDeviceCode } from './source';
import { versioned } from './terminalText';
import { resolve } from 'node:path';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';

interface ModelFlags extends AnalysisFlags {
  readonly format: string;
}

export function registerModel(program: Command, terminal: Terminal): void {
  addOptions(program.command('model'), 'analysis')
    .argument('<file>', 'a source file')
    .option('-f, --format <format>', 'json or text', 'text')
    .action(async (file: string, flags: ModelFlags) => {
      if (flags.format !== 'json' && flags.format !== 'text')
        throw new BadUse(`Unknown format "${flags.format}". Use json or text.`);
      if (nodeFileSystem.list(resolve(file))) throw new BadUse(`${file} is a folder; model takes one file.`);
      const refuse = (sentence: string): never => {
        throw new BadUse(sentence);
      };
      const source = findSources([file], refuse)[0]!;
      const note = (sentence: string): void => terminal.note(sentence);
      const workspace = await openWorkspace(readAnalysisFlags(flags, note), note);
      const uri = uriOf(source.path);
      await workspace.ready(uri);
      const analysed = workspace.analyse(uri, { text: source.text, version: 1 })!;
      const described = describe(analysed.model, source.text, analysed.gpu.name, analysed.unread());
      // Directives may come by macros of a header: only what has nothing to show is refused.
      const isEmpty = Object.values(described).every((each) => !Array.isArray(each) || each.length === 0);
      if (isEmpty && !mayHoldDeviceCode(source.path, source.text))
        throw new BadUse(`${file} holds no CUDA or OpenACC code. Name a source file; check lists those with findings.`);
      terminal.print(flags.format === 'json' ? versioned(described, 2) : asText(described));
    });
}

type Described = ReturnType<typeof describe>;
type DescribedAccess = Described['accesses'][number];

/** The model with lines and columns (from 1) instead of offsets. Unknown members are absent. */
export function describe(model: Model, text: string, gpu: string, unread: readonly Unread[]) {
  const find = placeFinder(new Map([[model.uri, text]]));
  const placed = (span: Span) => ({
    file: displayPath(pathOf(span.uri)),
    ...(find(span) ?? { line: 0, column: 0, endLine: 0, endColumn: 0 }),
  });
  const { facts } = model;
  return {
    file: displayPath(pathOf(model.uri)),
    gpu,
    kernels: facts.kernel.map((kernel) => ({
      ...pick(kernel, 'name', 'qualifiedName'),
      ...placed(kernel.nameAt),
      global: kernel.global,
      shapes: kernel.shapes.map(({ launchAt, ...shape }) => ({
        ...shape,
        ...(launchAt ? { launch: placed(launchAt) } : {}),
      })),
      notAnalysed: kernel.notAnalysed,
    })),
    launches: facts.launch.map((launch) => ({
      kernel: launch.kernelName,
      ...placed(launch.at),
      ...pick(launch, 'block', 'grid', 'blockExact', 'gridExact', 'blockText', 'gridText', 'sharedBytes', 'stream'),
      ...(launch.kernelAt ? { definition: placed(launch.kernelAt) } : {}),
    })),
    accesses: [...facts.access]
      .sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end)
      .map((access) => accessObject(access, placed)),
    branches: facts.branch.map((branch) => ({
      ...placed(branch.at),
      ...pick(branch, 'form', 'text', 'kernels', 'variance', 'dataDependent', 'boundaryGuard', 'singleLane'),
      splitShare: rounded(branch.splitShare),
      lostShare: rounded(branch.lostShare),
      ...pick(branch, 'under', 'otherwise'),
      assumed: branch.assumed.length > 0,
    })),
    barriers: facts.barrier.map((barrier) => ({
      ...placed(barrier.at),
      ...pick(barrier, 'name', 'kernels', 'scope', 'proven'),
      divergentUnder: barrier.under?.text,
      afterReturn: barrier.afterReturn?.text,
    })),
    loops: facts['acc-loop'].map(({ at, regionAt, kind: _, trips, ...loop }) => ({
      ...placed(at),
      text: text.slice(at.start, at.end).replace(/\s+/g, ' '),
      ...loop,
      region: placed(regionAt),
      ...(trips ? { trips: { atMost: trips.atMost, exact: trips.exact, why: trips.why } } : {}),
    })),
    unread: unread.map(({ at, ...one }) => ({ ...placed(at), ...one, text: unreadText(one) })),
    notes: model.notes.map((note) => ({ ...placed(note.at), text: note.text })),
  };
}

function accessObject(
  access: AccessFact,
  placed: (span: Span) => { file: string; line: number; column: number; endLine: number; endColumn: number },
) {
  const ratio = ratioRange(access);
  return {
    ...placed(access.at),
    ...pick(access, 'text', 'kernels'),
    array: access.array.name,
    ...pick(access, 'space', 'mode', 'elementBytes', 'elementType'),
    sectors: rounded(access.sectors),
    sectorsIdeal: rounded(access.sectorsIdeal),
    wavefronts: rounded(access.wavefronts),
    wavefrontsIdeal: rounded(access.wavefrontsIdeal),
    ...(ratio
      ? {
          figure: ends(figureRange(access)),
          ideal: ends(idealRange(access)),
          ratio: ends(ratio),
          offIdeal: offIdealText(access, ratio),
        }
      : {}),
    ...pick(access, 'laneStride', 'unknownStride'),
    gather: access.gather && pick(access.gather, 'text', 'reason', 'sectorsAtMost'),
    cause: access.cause,
    activeLanes: rounded(access.activeLanes),
    executions: rounded(access.executions),
    assumed: access.assumed.length > 0,
    certainty: access.certainty,
    assumptions: access.assumed,
    ...(access.via ? { via: placed(access.via) } : {}),
  };
}

function pick<T extends object, Key extends keyof T>(from: T, ...keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, Key>;
}

function ends([least, most]: readonly [number, number]): { readonly least: number; readonly most: number } {
  return { least: rounded(least)!, most: rounded(most)! };
}

/** Means over warps are fractions; six digits exceed the precision of a counter. */
function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toFixed(6));
}

function asText(model: Described): string {
  const lines = [`${model.file} (figures for ${model.gpu})`];
  for (const kernel of model.kernels) {
    lines.push('', `${kernel.line}: ${kernelHead(kernel, ({ block }) => block.join('×'))}`);
    for (const access of model.accesses.filter((one) => one.kernels.includes(kernel.name)))
      lines.push(`  ${accessText(access)}`);
    for (const one of model.unread.filter(({ kernels }) => kernels.includes(kernel.name)))
      lines.push(`  ${unreadLine(one)}`);
  }
  const own = new Set(model.kernels.map(({ name }) => name));
  const called = model.accesses.filter(({ kernels }) => !kernels.some((kernel) => own.has(kernel)));
  if (called.length > 0) {
    const kernels = [...new Set(called.flatMap((access) => access.kernels))];
    lines.push('', `Called by kernels of other files: ${kernels.join(', ')}`);
    for (const access of called) lines.push(`  ${accessText(access)}`);
  }
  lines.push(...loopLines(model.loops));
  if (model.launches.length > 0) lines.push('');
  for (const launch of model.launches)
    lines.push(
      `${launch.line}:${launch.column} launch of ${launch.kernel}, block ` +
        `${extentText(launch.block)}, grid ${extentText(launch.grid)}`,
    );
  // Those of a kernel stand with it.
  for (const one of model.unread.filter(({ kernels }) => !kernels.some((kernel) => own.has(kernel))))
    lines.push(unreadLine(one));
  for (const note of model.notes) lines.push(`${note.line}:${note.column} note: ${note.text}`);
  if (lines.length === 1) lines.push(nothingHere);
  return lines.join('\n');
}

/** Said of a file without figures. */
export const nothingHere = 'It has no kernels, launches, accesses or OpenACC loops.';

/** The loops below the line of their region, which an empty line precedes. */
export function loopLines(loops: Described['loops']): string[] {
  const lines: string[] = [];
  let region = '';
  for (const loop of loops) {
    const head = `${loop.region.line}: ${loop.construct} in ${loop.procedure}`;
    if (head !== region) lines.push('', head);
    region = head;
    const trips = loop.trips
      ? `, ${loop.trips.exact ? '' : 'at most '}${loop.trips.atMost} iterations (${loop.trips.why})`
      : '';
    lines.push(
      `  ${`${loop.line}:${loop.column}`.padEnd(8)} ${'  '.repeat(loop.depth)}${loop.text}: ${levelsText(loop)}${trips}`,
    );
  }
  return lines;
}

function unreadLine({ line, column, text }: Described['unread'][number]): string {
  return `${`${line}:${column}`.padEnd(8)} not read: ${text}`;
}

function accessText(access: DescribedAccess): string {
  const figures = [
    access.offIdeal,
    access.sectors === undefined ? undefined : `sectors ${spread(access)}`,
    access.wavefronts === undefined ? undefined : `wavefronts ${spread(access)}`,
    access.gather && `gather by ${access.gather.text}, at most ${access.gather.sectorsAtMost} sectors`,
    access.laneStride === undefined ? undefined : `lane stride ${access.laneStride}`,
    access.cause,
    access.assumed ? conditions(access.assumptions).join('; ') : undefined,
  ].filter((part) => part !== undefined);
  const place = `${access.line}:${access.column}`.padEnd(8);
  return (
    `${place} ${access.space} ${access.mode} ${access.elementBytes} B  ` +
    `${access.text}${figures.length > 0 ? `  (${figures.join(', ')})` : ''}`
  );
}

function spread({ figure, ideal, sectors, sectorsIdeal, wavefronts, wavefrontsIdeal }: DescribedAccess): string {
  const text = (ends: DescribedAccess['figure'], known: number | undefined): string =>
    ends ? rangeText([ends.least, ends.most], String) : String(known);
  return `${text(figure, sectors ?? wavefronts)} of ideal ${text(ideal, sectorsIdeal ?? wavefrontsIdeal)}`;
}

/** `gang, vector(128 assumed)`: each level with its size, and its origin unless it is written. */
function levelsText(loop: Described['loops'][number]): string {
  const sizes: Record<string, number | undefined> = { worker: loop.workers, vector: loop.vectorLength };
  const levels = Object.entries(loop.levels).map(([level, origin]) => {
    const inside = [
      sizes[level],
      origin === 'written' ? undefined : origin === 'feedback' ? 'according to the compiler' : 'assumed',
    ]
      .filter((part) => part !== undefined)
      .join(' ');
    return inside === '' ? level : `${level}(${inside})`;
  });
  return loop.joined ? 'collapsed into the enclosing loop' : levels.length > 0 ? levels.join(', ') : 'not shared';
}

function extentText(extent: { readonly x?: number; readonly y?: number; readonly z?: number }): string {
  return [extent.x, extent.y, extent.z].map((part) => part ?? '?').join('×');
}
