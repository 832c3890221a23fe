// What a kernel asks of the memory, as plain figures that can be held against those of another version of it.
import { multiprocessorLimits, occupancy } from '../../../hardware/src/occupancy';
import type { ResolvedFinding } from '../lint/finding';
import { findSuppressions } from '../lint/suppressions';
import { usualTrips } from '../cost/choice';
import { describe, timeAlone } from '../cost/kernelTime';
import { createRank, requestsOf, trafficOf, type KernelTraffic, type Rank } from '../cost/traffic';
import type { AccessFact, BarrierFact, Gpu, KernelFact, LaunchFact, Model, Span, Unread } from '../semantic/model';
import { figureRange } from '../semantic/figures';
import { lineTable } from '../syntax/lines';
import { lex, TokenKind } from '../syntax/tokens';

/** A place for people, lines and columns from 1, and for programs: offsets in UTF-16 units. */
export interface FigurePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

type OfFact = Pick<AccessFact, 'space' | 'mode' | 'activeLanes' | (typeof whereKnown)[number]>;
const whereKnown = ['sectors', 'sectorsIdeal', 'wavefronts', 'wavefrontsIdeal', 'cause'] as const;

/** One access of a kernel. Sectors and wavefronts are means a warp instruction; absent where unknown. */
export interface AccessFigures extends OfFact {
  readonly at: FigurePlace;
  /** As written, on one line. */
  readonly text: string;
  /** Its tokens: what it is matched by. */
  readonly tokens: string;
  readonly array: string;
  readonly bytes: number;
  /** The most sectors of an access by loaded or computed indices. */
  readonly sectorsAtMost?: number;
  /** The fewest sectors, or wavefronts, with the most favourable data and extents that the code leaves open. */
  readonly atLeast: number;
  /** Sectors, or wavefronts, of all warps of one block, loops counted as `rank` counts them. */
  readonly traffic: number;
  /** Bytes that its lanes move in one block. */
  readonly moved: number;
  /** The innermost loop of unknown length around it. */
  readonly loop?: number;
  /** Iterations of one of them that were run before the budget ended it. */
  readonly first?: number;
  /** Of a function that several kernels call: these with their runs, of which its figures are the mean. */
  readonly owners?: readonly string[];
}

/** A kernel, or what kernels of other files ask of this file's functions. */
export interface KernelFigures extends Pick<KernelTraffic, 'name' | 'sectors' | 'wavefronts' | 'grids'> {
  /** Name with namespaces, and parameter types. */
  readonly signature: string;
  readonly at: FigurePlace;
  readonly lastLine: number;
  /** The definition's tokens, without its own name; empty for a kernel of another file. */
  readonly body: string;
  /** Bytes of global memory that all launches move; absent where a grid is not known. */
  readonly traffic?: number;
  /** Times that a block waits for its threads, and its atomic warp instructions. */
  readonly barriers: number;
  readonly atomics: number;
  /** Predicted microseconds by block, without what a launch takes; absent where no block is known or assumed. */
  readonly time?: number;
  /** Accesses that nothing bounds, and calls that may make some: their traffic is not in the sums. */
  readonly unknown: number;
  /** Threads of the known blocks: `32×8`. */
  readonly blocks: readonly string[];
  /** Mean threads of a block, assumed where none is known; absent for a kernel of another file. */
  readonly threads?: number;
  /** Part of a multiprocessor's threads that blocks of these sizes fill, registers and memory aside. */
  readonly occupancy?: number;
  /** No known launch sets the block. */
  readonly assumedBlock: boolean;
  /** Why the kernel was not analysed whole. */
  readonly notAnalysed?: string;
  /** Launches in the same file. */
  readonly launches: readonly FigurePlace[];
  readonly accesses: readonly AccessFigures[];
}

/** A finding with what it is matched by: what it says of which text, never its line number. */
export interface ComparedFinding {
  readonly finding: ResolvedFinding;
  readonly at: FigurePlace;
  readonly text: string;
}

export interface FileFigures {
  readonly path: string;
  readonly kernels: readonly KernelFigures[];
  /** Those that only mark another place of a finding among them. */
  readonly findings: readonly ComparedFinding[];
  /** What of the file was not read. */
  readonly excess?: string;
  /** Kernels and launches without figures, or with some in part. */
  readonly unread: readonly UnreadPart[];
  /** What its analysis went without: kernels under conditions, headers. */
  readonly notes: readonly FigureNote[];
}

export interface FigureNote {
  readonly at: FigurePlace;
  readonly text: string;
}

/** Something that was not read, without its accesses: those are counted by kernel. */
export interface UnreadPart extends Pick<Unread, 'what' | 'reason' | 'detail' | 'kernels'> {
  readonly at: FigurePlace;
}

/** The figures of one file. `path` is what the file is called in both versions' terms; `text` is the model's. */
export function figuresOf(
  path: string,
  text: string,
  model: Model,
  findings: readonly ResolvedFinding[],
  gpu: Gpu,
  excess?: string,
  unread: readonly Unread[] = [],
): FileFigures {
  const table = lineTable(text);
  const placeOf = ({ start, end }: Pick<Span, 'start' | 'end'>): FigurePlace => {
    const { line, character } = table.positionAt(start);
    return { path, line: line + 1, column: character + 1, start, end };
  };
  const rank = createRank(model, gpu);
  const facts = new Map(
    model.facts.kernel.filter(({ at }) => at.uri === model.uri).map((fact) => [fact.at.start, fact] as const),
  );
  const kernels = rank.kernels.map((kernel): KernelFigures => {
    const fact = kernel.at && facts.get(kernel.at.start);
    const runs = Math.max(1, fact?.shapes.length ?? 0);
    const blocks = fact?.shapes.map(({ block: [x, y, z] }) => [x, y, z].slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join('×'));
    const barriers = [
      ...new Map(
        model.facts.barrier
          .filter((barrier) => barrier.scope === 'block' && rank.ownersOf(barrier).includes(kernel))
          .map((barrier) => [`${barrier.at.uri} ${barrier.at.start}`, barrier]),
      ).values(),
    ];
    // What is counted of no memory that a warp shares has no figures to compare.
    const all = rank.accessesOf(kernel).filter(({ space, at }) => space !== 'local' && at.uri === model.uri);
    const its = onceEach(all, barriers);
    const lost = new Set(
      model.facts.unread.flatMap((one) => (rank.ownersOf(one).includes(kernel) ? one.at.start : [])),
    );
    // The rank counts an access of several kernels in equal parts.
    const repeated = all
      .filter((access) => !its.includes(access))
      .reduce((sum, access) => sum + trafficOf(access) / rank.ownersOf(access).length / runs, 0);
    const sectors = kernel.sectors - repeated;
    const described = fact && describe(rank, kernel);
    const time = described && timeAlone(described, gpu).busy / described.blocks;
    return {
      name: kernel.name,
      signature: fact ? `${fact.qualifiedName}(${fact.parameters.join(', ')})` : kernel.name,
      at: fact ? placeOf(fact.nameAt) : its[0] ? placeOf(its[0].at) : placeOf({ start: 0, end: 0 }),
      lastLine: fact ? table.positionAt(fact.at.end).line + 1 : 0,
      body: fact ? tokensOf(text.slice(fact.at.start, fact.at.end), fact.name) : '',
      sectors,
      wavefronts: kernel.wavefronts,
      ...(kernel.assumed ? {} : { traffic: sectors * 32 * kernel.blocks }),
      barriers: barriers.reduce(
        (sum, { loops }) => sum + loops.reduce((product, { trips = usualTrips }) => product * trips, 1),
        0,
      ),
      atomics: its.reduce((sum, one) => sum + (one.mode === 'atomic' ? requestsOf(one) / runs : 0), 0),
      ...(time === undefined ? {} : { time }),
      unknown: its.filter((access) => isUnknown(access)).length + lost.size,
      ...(kernel.grids === undefined ? {} : { grids: kernel.grids }),
      ...threadsOf(fact, gpu),
      blocks: [...new Set(blocks)].sort(),
      assumedBlock: (fact?.shapes ?? []).some(({ assumed }) => assumed),
      ...(fact?.notAnalysed === undefined ? {} : { notAnalysed: fact.notAnalysed }),
      launches: fact ? model.facts.launch.filter((launch) => launches(launch, fact)).map(({ at }) => placeOf(at)) : [],
      accesses: its.map((access) => accessFigures(access, runs, rank, placeOf)),
    };
  });
  return {
    path,
    kernels,
    findings: findings
      .filter(({ at }) => at.uri === model.uri)
      .map((finding) => {
        const { start, end } = table.lineSpan(table.positionAt(finding.at.start).line);
        return { finding, at: placeOf(finding.at), text: tokensOf(text.slice(start, end)) };
      }),
    ...(excess === undefined ? {} : { excess }),
    notes: model.notes
      .filter(({ at }) => at.uri === model.uri)
      .map(({ at, text: sentence }) => ({ at: placeOf(at), text: sentence })),
    // The limit of a file is its excess.
    unread: unread
      .filter(({ what }) => what !== 'access' && what !== 'file')
      .map(({ at, what, reason, detail, kernels: of }) => ({ at: placeOf(at), what, reason, detail, kernels: of })),
  };
}

function threadsOf(fact: KernelFact | undefined, gpu: Gpu): Pick<KernelFigures, 'threads' | 'occupancy'> {
  const shapes = fact?.shapes ?? [];
  if (shapes.length === 0) return {};
  const sizes = shapes.map(({ block: [x, y, z] }) => x * y * z);
  const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
  const limits = multiprocessorLimits(gpu.computeCapability);
  if (!limits || shapes.some(({ assumed }) => assumed)) return { threads: mean(sizes) };
  const filled = sizes.map(
    (threads) => (occupancy(limits, { threads, registers: 0 }).blocks * threads) / limits.threads,
  );
  return { threads: mean(sizes), occupancy: mean(filled) };
}

/** The compiler loads once what is written again as it is, with no store, atomic or barrier between. */
function onceEach(accesses: readonly AccessFact[], barriers: readonly BarrierFact[]): AccessFact[] {
  const met = new Set<string>();
  return [...accesses, ...barriers]
    .sort((a, b) => a.at.start - b.at.start)
    .filter((one): one is AccessFact => {
      if (one.kind === 'barrier' || one.mode !== 'load') met.clear();
      if (one.kind === 'barrier') return false;
      if (one.mode !== 'load' || one.space === 'shared') return true;
      const { text, array, calleeAt, loops, executions, activeLanes, sectors } = one;
      const key = [text, array.name, calleeAt?.start, loops[0]?.at.start, executions, activeLanes, sectors].join('\n');
      return !met.has(key) && !!met.add(key);
    });
}

/** A launch that gives a generic kernel a body is one of that body. */
function launches({ at, bodyAt, kernelAt }: LaunchFact, { nameAt }: KernelFact): boolean {
  const instance = bodyAt ?? kernelAt;
  return at.uri === nameAt.uri && instance?.uri === nameAt.uri && instance.start === nameAt.start;
}

/** Words and signs of a text, comments and blanks left out: what formatters leave alone. */
export function tokensOf(text: string, without?: string): string {
  return lex(text)
    .tokens.map(({ text: word }) => word)
    .filter((word) => word !== without)
    .join(' ');
}

/** The same with names numbered as they come: what renaming leaves alone. */
export function shapeOf(tokens: string): string {
  const numbers = new Map<string, number>();
  return tokens.replace(/(?<![\w.])[A-Za-z_]\w*/g, (name) => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return `#${numbers.get(name)}`;
  });
}

/** A compiler reads the same program in both texts: they differ in blanks and comments, and no comment silences. */
export function isSameProgram(one: string, other: string): boolean {
  if (one === other) return true;
  return ![one, other].some((text) => findSuppressions(text).length > 0) && linesOf(one) === linesOf(other);
}

/** Tokens, with the lines of directives on their own and with their blanks; strings side by side are one. */
function linesOf(text: string): string {
  let isDirective = false;
  let isString = false;
  const parts: string[] = [];
  for (const { kind, text: word, lineStart, space } of lex(text).tokens) {
    const ends = lineStart && isDirective;
    if (lineStart) isDirective = word === '#';
    const joins = isString && kind === TokenKind.String && word.startsWith('"') && !isDirective && !ends;
    isString = kind === TokenKind.String && word.endsWith('"');
    if (joins) parts.push(parts.pop()!.slice(0, -1), word.slice(1));
    else parts.push(ends || (lineStart && isDirective) ? '\n' : isDirective && !space ? '' : ' ', word);
  }
  return parts.join('');
}

/** Nothing bounds its sectors: what it asks for is not in the sums, or is not a figure to go by. */
function isUnknown({ space, sectors, wavefronts, gather, certainty }: AccessFact): boolean {
  if (space === 'constant' || gather !== undefined) return false;
  return (space === 'shared' ? wavefronts : sectors) === undefined || certainty === 'unknown';
}

function accessFigures(fact: AccessFact, runs: number, rank: Rank, placeOf: (at: Span) => FigurePlace): AccessFigures {
  const { space, mode, gather, activeLanes } = fact;
  const open = fact.loops.slice(fact.hoisted ?? 0).find(({ trips }) => trips === undefined);
  const cut = fact.assumed.find((one) => one.kind === 'iterations');
  const owners = rank.ownersOf(fact).map(({ name, fact: kernel }) => `${name} ${kernel?.shapes.length}`);
  return {
    at: placeOf(fact.at),
    text: fact.text.replace(/\s+/g, ' '),
    tokens: tokensOf(fact.text),
    array: fact.array.name,
    space,
    mode,
    bytes: fact.elementBytes,
    ...Object.fromEntries(whereKnown.flatMap((name) => (fact[name] === undefined ? [] : [[name, fact[name]]]))),
    ...(gather === undefined ? {} : { sectorsAtMost: gather.sectorsAtMost }),
    atLeast: figureRange(fact)[0],
    activeLanes,
    traffic: trafficOf(fact) / runs,
    moved: (requestsOf(fact) / runs) * activeLanes * fact.elementBytes,
    ...(open ? { loop: open.at.start } : {}),
    ...(cut ? { first: cut.first } : {}),
    ...(owners.length > 1 ? { owners } : {}),
  };
}
