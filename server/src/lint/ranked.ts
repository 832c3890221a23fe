// What matters comes first: findings get the share of their kernel, one cause of one array is one finding with its
// places, and severity follows the share.
import type { AccessFact, FactKind, Facts, Reason, Span } from '../semantic/model';
import type { Severity } from '../rules/rule';
import type { ResolvedFinding } from './finding';
import { isBarred, isContentionOfFew, isForTests, isOfLayout, isOfUnknownWeight, mayBeLittle } from './gate';
import { hashText } from '../syntax/macros';
import type { FactShare, KernelTraffic, Rank } from './rank';

/** A finding on its way through lint, with the fact that it speaks of. */
export interface Draft extends ResolvedFinding {
  readonly fact: Facts[FactKind];
  /** What its share may well be. */
  readonly atMost?: number;
  /** What is sure of it, however long the loops beside it are. */
  readonly atLeast?: number;
  /** Part of its kernel's memory traffic, global and shared together, that its kind of traffic is. */
  readonly ofMemory?: number;
  readonly traffic?: KernelTraffic;
  /** The user chose the severity: no share changes it. */
  readonly chosen: boolean;
}

/** A finding that is being made: one object is filled, since an edit makes hundreds of them. */
export type MadeDraft = { -readonly [Name in keyof Draft]: Draft[Name] };

/** Below this part of its kernel a finding is a hint: something heavier stands beside it. */
export const leastShare = 0.03;
/** What warnings of one kind waste is at least this part of what their kernel moves, and each its part of that. */
const leastWaste = 0.2;
const leastOwnWaste = 0.05;
/** Of what wastes less nobody needs to hear above a hint; conflicts of a few lanes seldom show. */
const leastTold = { global: 0.1, shared: 0.15 };
/**
 * Reads whose lanes are as far apart as a number out of sight says, and what data decide on, are a warning from this
 * part of their kernel's traffic on, and of rows only where the number is one that threads are counted by: where rows
 * are short L1 holds them.
 */
const mostlyMoved = 0.5;
/** Below this part of its kernel an information is a hint, even where shorter loops would make it more. */
const negligible = 0.05;
/** So many squiggles of one kernel are read; the lightest beyond them are hints. */
export const mostLoudOfKernel = 10;
/** Kernels whose lines agree in so great a part are one kernel written several times. */
const alikeFrom = 0.6;

const grades: Readonly<Record<Severity, number>> = { hint: 0, information: 1, warning: 2, error: 3 };

/** What a fact belongs to: the kernel that it stands in, else the kernels that reach it; nothing for host code. */
function ownerOf(fact: Facts[FactKind], rank: Rank): string | undefined {
  if (fact.kind === 'launch') return `launches of ${fact.kernelName}`;
  const [around] = rank.around(fact.at);
  if (around) return `${around.name}@${around.at!.start}`;
  if (fact.kind === 'double' || fact.kind === 'math') return `${fact.function}()`;
  return 'kernels' in fact && fact.kernels.length > 0 ? fact.kernels.join() : undefined;
}

/** Writes into a finding the function that its fact stands in, and the kernels of the file that it is about. */
export function addSurroundings(draft: MadeDraft, rank: Rank): void {
  const { fact } = draft;
  const names: readonly string[] = 'kernels' in fact ? fact.kernels : [];
  const definition = fact.kind === 'launch' ? fact.kernelAt : undefined;
  const [around] = rank.around(fact.at);
  const its = rank.concerned(definition ? [fact.at, definition] : [fact.at], names).filter(({ at }) => at);
  const within = around?.name ?? (fact.kind === 'runtime-call' ? fact.function : names.join());
  if (within) draft.within = within;
  if (its.length > 0) draft.kernelsAt = its.map(({ at }) => at!);
}

/**
 * What one mistake is: the array of an access, the condition of a branch, all double literals of a function, the shape
 * that a kernel is launched with. What fails at each launch is told at each.
 */
function subjectOf({ fact, data, severity }: Draft): string | undefined {
  switch (fact.kind) {
    case 'access':
      return String(data['array'] ?? '');
    case 'branch':
      return String(data['condition'] ?? '');
    case 'double':
    case 'math':
      return '';
    case 'launch':
      return severity === 'error' ? undefined : '';
    default:
      return undefined;
  }
}

/** Rules whose findings are as grave as what they say is moved in vain. */
const byWaste = ['cuda/uncoalesced-access', 'cuda/bank-conflict'];

/** Names that one distance between lanes has, by what stands around the access. */
const distances = [
  'stride',
  'unknown-stride',
  'row-per-thread',
  'chunk-per-thread',
  'struct-field',
  'whole-struct',
  'scattered',
];

/** Constants and macros make one computation double together; what the compiler narrows is another matter. */
function kindOf({ fact, message }: Draft): string {
  if (fact.kind === 'access' && fact.space === 'global' && distances.includes(message)) return 'distance';
  return fact.kind === 'double' && message !== 'narrowed' ? 'double' : message;
}

/** Part of its kernel that a finding puts at stake; undefined where nothing tells. */
function stakeOf(draft: Draft): number | undefined {
  return draft.share === undefined ? undefined : draft.share * lostPart(draft);
}
/** Of what runs under a branch only the lanes that idle are lost. */
function lostPart({ fact }: Draft): number {
  return fact.kind === 'branch' ? (fact.lostShare ?? 1) : 1;
}

/** Writes into a finding its share of its kernel and what that costs. */
export function addShare(draft: MadeDraft, rank: Rank): void {
  const known: FactShare | undefined = rank.shareOf(draft.fact);
  if (!known) return;
  draft.share = known.share;
  draft.atMost = known.atMost;
  draft.atLeast = known.atLeast;
  draft.ofMemory = known.ofMemory;
  draft.traffic = known.kernel;
  draft.kernel = known.kernel.name;
  draft.cost = known.share * lostPart(draft) * known.cycles;
}

/**
 * Findings in order of place: of one cause, array and kernel the gravest stands with the shares and places of all, and
 * the others are hints that lead to it.
 */
export function rankFindings(drafts: readonly Draft[], rank: Rank, text: string): Draft[] {
  const groups = new Map<string, Draft[]>();
  const single: Draft[] = [];
  for (const draft of drafts) {
    const owner = ownerOf(draft.fact, rank);
    const subject = subjectOf(draft);
    if (owner === undefined || subject === undefined) {
      single.push(draft);
      continue;
    }
    const key = `${draft.rule}\n${kindOf(draft)}\n${owner}\n${subject}`;
    const group = groups.get(key);
    if (group) group.push(draft);
    else groups.set(key, [draft]);
  }
  const joined = copiesJoined(
    [...groups].map(([key, members]) => groupOf(key, members)),
    rank,
    text,
  );
  const ranked = [...single, ...toneDown(joined).flatMap(spread)];
  return ranked.sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end || a.rule.localeCompare(b.rule));
}

interface Group {
  readonly key: string;
  readonly owner: string;
  readonly head: Draft;
  readonly others: readonly Draft[];
  readonly severity: Severity;
  readonly share: number | undefined;
  readonly cost: number | undefined;
}

function groupOf(key: string, members: readonly Draft[]): Group {
  const [head, ...others] = [...members].sort(
    (a, b) =>
      grades[b.severity] - grades[a.severity] ||
      Number(mayBeUnreached(a)) - Number(mayBeUnreached(b)) ||
      (b.share ?? 0) - (a.share ?? 0) ||
      a.at.start - b.at.start,
  ) as [Draft, ...Draft[]];
  const known = members.filter(({ share }) => share !== undefined);
  const sum = (pick: (draft: Draft) => number | undefined): number | undefined =>
    known.length === 0 ? undefined : known.reduce((total, draft) => total + (pick(draft) ?? 0), 0);
  const share = sum((draft) => draft.share);
  return {
    key,
    owner: key.split('\n')[2]!,
    head,
    others: others.sort((a, b) => a.at.start - b.at.start),
    severity: head.severity,
    share: share === undefined ? undefined : Math.min(1, share),
    cost: sum((draft) => draft.cost),
  };
}

/** No modelled thread comes there, or data say which do: a corner is not the place to tell a cause at. */
function mayBeUnreached({ fact }: Draft): boolean {
  return 'assumed' in fact && fact.assumed.some(({ kind }) => kind === 'reached' || kind === 'by-data');
}

/** The finding of a copied kernel is a place of the finding in the first copy. */
function copiesJoined(groups: readonly Group[], rank: Rank, text: string): Group[] {
  const lines = new Map<string, ReadonlySet<number>>();
  for (const { name, at } of rank.kernels)
    if (at) lines.set(`${name}@${at.start}`, linesOf(text.slice(at.start, at.end)));
  const telling = tellingLines(lines);
  const result: Group[] = [];
  /** Places in `result` of what is said of a kernel with the line. */
  const withLine = new Map<string, number[]>();
  for (const group of [...groups].sort((a, b) => a.head.at.start - b.head.at.start)) {
    const its = lines.get(group.owner);
    const cause = withoutOwner(group.key);
    const keys = (its ? telling(its) : []).map((line) => `${cause}\n${line}`);
    const candidates = new Set(keys.flatMap((key) => withLine.get(key) ?? []));
    const first = [...candidates]
      .sort((a, b) => a - b)
      .find((at) => {
        const other = result[at]!;
        return (
          other.owner !== group.owner &&
          grades[other.severity] >= grades[group.severity] &&
          alike(its!, lines.get(other.owner)!)
        );
      });
    if (first === undefined) {
      for (const key of keys) {
        const others = withLine.get(key);
        if (others) others.push(result.length);
        else withLine.set(key, [result.length]);
      }
      result.push(group);
    } else {
      const into = result[first]!;
      result[first] = { ...into, others: [...into.others, group.head, ...group.others] };
    }
  }
  return result;
}

/**
 * The rarest lines of a kernel: two kernels that agree in `alikeFrom` of their lines have one of these in common, so
 * that only such need be compared (the prefix filter of set similarity joins: Chaudhuri, Ganti and Kaushik, 2006).
 */
function tellingLines(
  lines: ReadonlyMap<string, ReadonlySet<number>>,
): (its: ReadonlySet<number>) => readonly number[] {
  const frequency = new Map<number, number>();
  for (const its of lines.values()) for (const line of its) frequency.set(line, (frequency.get(line) ?? 0) + 1);
  const known = new Map<ReadonlySet<number>, readonly number[]>();
  return (its) => {
    let rarest = known.get(its);
    if (!rarest) {
      const order = [...its].sort((a, b) => frequency.get(a)! - frequency.get(b)! || a - b);
      rarest = order.slice(0, its.size - Math.ceil(alikeFrom * its.size) + 1);
      known.set(its, rarest);
    }
    return rarest;
  };
}

function withoutOwner(key: string): string {
  const [rule, message, , subject] = key.split('\n');
  return `${rule}\n${message}\n${subject}`;
}

/**
 * Of texts of kernels that were compared lately: typing changes one of them. Texts and lines are told by their hashes,
 * since a piece of a text keeps the whole of it, and each version of a file would stay.
 */
const linesOfTexts = new Map<number, ReadonlySet<number>>();
const mostTexts = 500;

/** Lines without their blanks, numbers and names of types, which are what copies differ in. */
function linesOf(text: string): ReadonlySet<number> {
  const hash = hashText(text);
  const known = linesOfTexts.get(hash);
  if (known) return known;
  const lines = new Set<number>();
  for (const written of text.split('\n')) {
    const line = written
      .replace(/\/\/.*/, '')
      .replace(/\b(float|double|half|int|long|short|char|unsigned|__half|__nv_bfloat16|nv_bfloat16)\b/g, 'T')
      .replace(/\b\d[\w.]*/g, '0')
      .replace(/\s+/g, '');
    if (line.length > 2) lines.add(hashText(line));
  }
  if (linesOfTexts.size >= mostTexts) linesOfTexts.clear();
  linesOfTexts.set(hash, lines);
  return lines;
}
function alike(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  if (Math.min(left.size, right.size) < alikeFrom * Math.max(left.size, right.size)) return false;
  let both = 0;
  for (const line of left) if (right.has(line)) both++;
  return both >= alikeFrom * (left.size + right.size - both);
}

/** Light ones become hints, and of each kernel all but the heaviest few. */
function toneDown(groups: readonly Group[]): Group[] {
  const loud = new Map<string, Group[]>();
  const byKind = wasteByKind(groups);
  const graded = groups.map((group): Group => {
    const { severity, head, others } = group;
    if (head.chosen) return group;
    const all = [head, ...others];
    const atMost = all.reduce((sum, draft) => sum + (draft.atMost ?? 0), 0);
    const share = group.share === undefined ? undefined : Math.max(group.share, atMost) * meanLoss(all);
    if (severity !== 'error' && share !== undefined && share < leastShare) return { ...group, severity: 'hint' };
    const seen = group.share === undefined ? undefined : group.share * meanLoss(all);
    if (severity === 'information' && seen !== undefined && seen < negligible) return { ...group, severity: 'hint' };
    // It may be more than it seems, where loops are short: no warning with a figure of nothing.
    if (severity !== 'error' && [fewStored, manyStored].some((bytes) => isCovered(all, group.share, bytes)))
      return { ...group, severity: 'hint' };
    const isLight = (seen !== undefined && seen < leastShare) || isContentionOfFew(head.rule, head.traffic);
    const graded = severityByWaste(group, byKind, isLight && severity === 'warning');
    return {
      ...group,
      severity: graded === 'information' && seen !== undefined && seen < negligible ? 'hint' : graded,
    };
  });
  for (const group of graded)
    if (group.severity !== 'hint') loud.set(group.owner, [...(loud.get(group.owner) ?? []), group]);
  const beyond = new Set(
    [...loud.values()].flatMap((all) =>
      all
        .sort((a, b) => grades[b.severity] - grades[a.severity] || (b.share ?? leastShare) - (a.share ?? leastShare))
        .slice(mostLoudOfKernel)
        .filter(({ severity, head }) => severity !== 'error' && !head.chosen),
    ),
  );
  return graded.map((group) => (beyond.has(group) ? { ...group, severity: 'hint' } : group));
}

/** Bytes of one thread's stores that other traffic covers: a good part of them, and nearly all. */
const manyStored = 48;
const fewStored = 12;

/**
 * Stores of a chunk of up to so many bytes a thread that leave nothing out, beside at least as much other traffic:
 * slower than coalesced ones by at most a half, and by a tenth where they are few
 * (docs/measurements/h200-neighbours.md).
 */
function isCovered(drafts: readonly Draft[], share: number | undefined, bytes: number): boolean {
  const isMost = share === undefined || share > 0.5;
  if (isMost && (bytes > fewStored || drafts.some(({ fact }) => fact.kind === 'access' && fact.wideStores)))
    return false;
  return drafts.every(
    ({ fact }) =>
      fact.kind === 'access' &&
      fact.mode === 'store' &&
      fact.perThread !== undefined &&
      fact.perThread.bytes <= bytes &&
      fact.perThread.used === fact.perThread.bytes,
  );
}

/**
 * Part of what the kernel moves that the accesses of a group waste for sure, be loops of unknown length short or long;
 * undefined where no share is known, so that nothing
 * speaks against the group.
 */
function wasteOfGroup({ head, others }: Group): number | undefined {
  if (!byWaste.includes(head.rule)) return undefined;
  let waste = 0;
  for (const { fact, share, atLeast = share, ofMemory = 1 } of [head, ...others]) {
    if (fact.kind !== 'access' || atLeast === undefined) return undefined;
    waste += atLeast * wasteOf(fact) * (fact.space === 'shared' ? ofMemory : 1);
  }
  return waste;
}
/** What a part of its kernel may well be, were loops of unknown length short. */
function atMostOf({ share, atMost = 0 }: Draft): number | undefined {
  return share === undefined ? undefined : Math.max(share, atMost);
}

/** The sum of what warnings waste, by rule, kind and kernel: the same mistake with ten arrays is one that counts. */
function wasteByKind(groups: readonly Group[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const group of groups)
    if (group.severity === 'warning')
      sums.set(kindOfGroup(group), (sums.get(kindOfGroup(group)) ?? 0) + (wasteOfGroup(group) ?? 0));
  return sums;
}
function kindOfGroup({ key }: Group): string {
  return key.slice(0, key.lastIndexOf('\n'));
}

/**
 * A warning is of a good part of what the kernel moves, by numbers in sight; what is less is an information or a hint.
 */
function severityByWaste(group: Group, byKind: ReadonlyMap<string, number>, isLight: boolean): Severity {
  const severity = isLight ? 'information' : group.severity;
  const waste = wasteOfGroup(group);
  if (severity === 'hint' || severity === 'error' || waste === undefined) return severity;
  const all = [group.head, ...group.others];
  if (group.head.traffic && isForTests(group.head.traffic.name)) return 'hint';
  if (all.reduce((sum, draft) => sum + (atMostOf(draft) ?? 1), 0) < leastOwnWaste) return 'hint';
  const sure = all.reduce((sum, { share = 1, atLeast = share }) => sum + atLeast, 0);
  if (mostly(all, isOfUnknownWeight) && (sure < mostlyMoved || mostly(all, mayBeLittle)))
    return sure < mostlyMoved ? 'hint' : 'information';
  const ofKind = Math.max(waste, byKind.get(kindOfGroup(group)) ?? 0);
  const isLittle =
    waste < (isOfShared(group) ? leastTold.shared : leastOwnWaste) ||
    ofKind < leastWaste ||
    mostly(all, (fact) => isBarred(fact, group.head.traffic));
  // What is no warning by itself is heard by what it wastes itself, and where the order of the threads is its cause.
  if (severity === 'information' || isLittle)
    return waste < leastToldOf(group) || mostly(all, isOfLayout) ? 'hint' : 'information';
  return severity;
}

function leastToldOf(group: Group): number {
  return isOfShared(group) ? leastTold.shared : leastTold.global;
}

const isOfShared = ({ head: { fact } }: Group): boolean => fact.kind === 'access' && fact.space === 'shared';

/** Part of the sectors, or wavefronts, of an access that a coalesced one would not ask for. */
function wasteOf(fact: AccessFact): number {
  const [moved, ideal] =
    fact.space === 'shared' ? [fact.wavefronts, fact.wavefrontsIdeal] : [fact.sectors, fact.sectorsIdeal];
  return moved === undefined || ideal === undefined || moved <= 0 ? 1 : Math.max(0, 1 - ideal / moved);
}

/** By the shares of the places. */
function mostly(drafts: readonly Draft[], holds: (fact: AccessFact) => boolean): boolean {
  const sum = (of: readonly Draft[]): number => of.reduce((total, { share }) => total + (share ?? 0), 0);
  return sum(drafts.filter(({ fact }) => fact.kind === 'access' && holds(fact))) > sum(drafts) / 2;
}

function meanLoss(drafts: readonly Draft[]): number {
  const all = drafts.reduce((sum, draft) => sum + (draft.share ?? 0), 0);
  return all > 0 ? drafts.reduce((sum, draft) => sum + (stakeOf(draft) ?? 0), 0) / all : 1;
}

/** The finding of a group, and a hint at each of its other places. */
function spread({ head, others, severity, share, cost }: Group): Draft[] {
  const places = others.map((other): Reason => ({ at: other.at, text: placeText(other) }));
  const finding: Draft = {
    ...head,
    severity,
    ...(share === undefined ? {} : { share, data: { ...head.data, share: shareText(head, share, others.length) } }),
    ...(cost === undefined ? {} : { cost }),
    ...(places.length > 0 ? { places } : {}),
  };
  return [finding, ...others.map((other) => markOf(other, head.at))];
}

function markOf(other: Draft, at: Span): Draft {
  const lead: Reason = { at, text: 'the same is told here, with all its places' };
  return {
    ...other,
    severity: 'hint',
    alone: isNothing(other) ? 'hint' : other.severity,
    markOf: at,
    related: [lead, ...other.related],
    ...(other.share === undefined ? {} : { data: { ...other.data, share: shareText(other, other.share, 0) } }),
  };
}

/** Told by itself, where another file tells the cause, it would be no more than what it is of its kernel. */
function isNothing({ severity, share, atMost = 0 }: Draft): boolean {
  return severity !== 'error' && share !== undefined && Math.max(share, atMost) < leastShare;
}

/** `, 71 % of this kernel's traffic`, ready to stand behind a figure. */
function shareText({ fact }: Draft, share: number, others: number): string {
  const traffic = fact.kind === 'access' && fact.space === 'shared' ? 'shared-memory traffic' : 'traffic';
  return `, ${percentText(share)} of this kernel's ${traffic}${others > 0 ? ` at ${others + 1} places` : ''}`;
}
function placeText({ data, share }: Draft): string {
  const figure = data['ratio'] ?? data['lost'];
  const parts = [
    figure === undefined ? '' : String(figure).replace(/^: /, ''),
    share === undefined ? '' : percentText(share),
  ].filter(Boolean);
  return `the same here${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}
/** `71 %`, `4.2 %`, `below 0.1 %`. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent < 0.1) return 'below 0.1 %';
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}
