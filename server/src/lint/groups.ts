// Findings of one cause become one finding with its places; its severity follows from the time that it would give back.
import { createGainModel, type GainModel } from '../cost/gain';
import type { Gain, Wasted } from '../cost/wasted';
import { severityOf } from '../cost/grade';
import { usualTrips } from '../cost/choice';
import type { FactShare, Rank } from '../cost/traffic';
import type { FactKind, Facts, Reason, Span } from '../semantic/model';
import type { Severity } from '../rules/rule';
import { ratioText } from '../rules/wording';
import { ratioRange } from '../semantic/figures';
import { append } from '../semantic/language';
import { severities, type ResolvedFinding } from './finding';

/** A finding on its way through lint, with the fact that it speaks of. */
export interface Draft extends ResolvedFinding {
  readonly fact: Facts[FactKind];
  /** What it says is wasted; of several accesses of a line each. */
  readonly wasted: readonly Wasted[];
  readonly cause: string;
  /** What its gain may make of it. */
  readonly most?: Severity | undefined;
  /** The user chose the severity: no figure changes it. */
  readonly chosen: boolean;
  /** Its share if loops of unknown length iterate as often as they were run. */
  readonly shareIfFew?: number;
  /** Of code that is quiet by a setting: a hint at most. */
  readonly quiet: boolean;
  /** Its fixes with the edits of their like. */
  readonly fixesOf?: () => Draft['fixes'];
}

/** A finding that is being made: one object is filled, since an edit makes hundreds of them. */
export type MadeDraft = { -readonly [Name in keyof Draft]: Draft[Name] };

/** What a fact belongs to: the kernel that contains it, else the kernels that reach it; nothing for host code. */
function ownerOf(fact: Facts[FactKind], rank: Rank): string | undefined {
  if (fact.kind === 'launch') return `launches of ${fact.kernelName}@${fact.bodyAt?.start}`;
  const [around] = rank.around(fact.at);
  if (around) return `${around.name}@${around.at!.start}`;
  if (fact.kind === 'double' || fact.kind === 'math') return `${fact.function}()`;
  return 'kernels' in fact && fact.kernels.length > 0 ? fact.kernels.join() : undefined;
}

/** Writes into a finding the function that contains its fact, and the kernels of the file that it is about. */
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
 * What one mistake is: the array of an access, the condition of a branch, all operations of a function, the shape that
 * a kernel is launched with. What fails at each launch is reported at each.
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

/** Of what runs under a branch only the lanes that idle are lost. */
function lostPart({ fact }: Draft): number {
  return fact.kind === 'branch' ? (fact.lostShare ?? 1) : 1;
}

/** Writes into a finding its share of its kernel and what that costs. */
export function addShare(draft: MadeDraft, rank: Rank): void {
  const known: FactShare | undefined = rank.shareOf(draft.fact);
  if (!known) return;
  draft.share = known.share;
  draft.shareIfFew = known.shareIfFew;
  draft.kernel = known.kernel.name;
  draft.heavier = rank.heavierThan(known.kernel);
  draft.cost = known.share * lostPart(draft) * known.cycles;
}

/**
 * Findings in order of place: of one cause, array and kernel the one with the largest share has the gain, shares and
 * places of all, and the others are hints that lead to it.
 */
export function groupFindings(drafts: readonly Draft[], rank: Rank): Draft[] {
  const groups = new Map<string, Draft[]>();
  for (const [at, draft] of drafts.entries()) {
    const owner = ownerOf(draft.fact, rank);
    const subject = subjectOf(draft);
    const key =
      owner === undefined || subject === undefined ? String(at) : `${draft.rule}\n${draft.cause}\n${owner}\n${subject}`;
    append(groups, key, draft);
  }
  const wasted = drafts.flatMap((draft) => draft.wasted);
  const gains = createGainModel(rank, wasted);
  return [...groups.values()]
    .flatMap((members) => spread(groupOf(members, gains)))
    .sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end || a.rule.localeCompare(b.rule));
}

interface Group {
  readonly head: Draft;
  readonly others: readonly Draft[];
  readonly severity: Severity;
  readonly gain: Gain | undefined;
  readonly share: number | undefined;
  readonly cost: number | undefined;
}

function groupOf(members: readonly Draft[], gains: GainModel): Group {
  const [head, ...others] = [...members].sort(
    (a, b) =>
      severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
      Number(mayBeUnreached(a)) - Number(mayBeUnreached(b)) ||
      (b.share ?? 0) - (a.share ?? 0) ||
      a.at.start - b.at.start,
  ) as [Draft, ...Draft[]];
  const isShared = members.some(({ share }) => share !== undefined);
  const wasted = members.flatMap(({ wasted }) => wasted);
  const gain = wasted.length > 0 ? gains.gainOf(wasted) : undefined;
  return {
    head,
    others: others.sort((a, b) => a.at.start - b.at.start),
    severity: graded(head, gain),
    gain,
    share: isShared ? Math.min(1, sumOf(members, 'share')) : undefined,
    cost: gain?.saved ?? (isShared ? sumOf(members, 'cost') : undefined),
  };
}

function graded({ severity, most, chosen, quiet, said }: Draft, gain: Gain | undefined): Severity {
  if (chosen) return severity;
  const byGain = gain === undefined ? severity : severityOf(gain, undefined, said);
  const byTime = most && severities.indexOf(byGain) > severities.indexOf(most) ? most : byGain;
  return (quiet || said === 'cold') && byTime !== 'error' ? 'hint' : byTime;
}

/** No modelled thread comes there, or data say which do: not the place to explain a cause at. */
function mayBeUnreached({ fact }: Draft): boolean {
  if (!('assumed' in fact)) return false;
  return (
    ('byData' in fact && fact.byData !== undefined) ||
    fact.assumed.some(({ kind }) => kind === 'reached' || kind === 'by-data')
  );
}

/** The finding of a group, and a hint at each of its other places. */
function spread({ head, others, severity, gain, share, cost }: Group): Draft[] {
  const places = others.map((other): Reason => ({ at: other.at, text: placeText(other) }));
  const finding: Draft = {
    ...head,
    severity,
    ...(head.chosen || head.quiet ? { bySetting: true } : {}),
    ...(gain === undefined ? {} : { gain: gain.range, expectedGain: gain.expected }),
    ...(share === undefined ? {} : { share, ...withShare([head, ...others], share) }),
    ...(cost === undefined ? {} : { cost }),
    ...(places.length > 0 ? { places } : {}),
  };
  return [finding, ...others.map((other) => markOf(other, head.at, severity))];
}

function markOf(other: Draft, at: Span, severity: Severity): Draft {
  const lead: Reason = { at, text: 'reported here together with its other locations' };
  return {
    ...other,
    severity: 'hint',
    alone: severity,
    markOf: at,
    related: [lead, ...other.related],
    ...(other.share === undefined ? {} : withShare([other], other.share)),
  };
}

/**
 * `, 71 % of this kernel's traffic at 2 places (up to 8.0×)`, ready to follow the ratio of the first: the share is that
 * of all of them, and so is the gain. One that another length of loops would change is not proven.
 */
function withShare(drafts: readonly [Draft, ...Draft[]], share: number): Pick<Draft, 'data' | 'confidence'> {
  const [{ fact, data, confidence }] = drafts;
  const places = drafts.reduce((sum, { wasted }) => sum + Math.max(1, new Set(wasted.map(startOf)).size), 0);
  const traffic = fact.kind === 'access' && fact.space === 'shared' ? 'shared-memory traffic' : 'traffic';
  const [shown, most] = [ratioOf({ fact }), Math.max(...drafts.flatMap(({ wasted }) => wasted.map(ratioOf)))];
  const isAbove = data['ratio'] !== undefined && most > shown && ratioText(most) !== ratioText(shown);
  const where = `${places > 1 ? ` at ${places} places` : ''}${isAbove ? ` (up to ${ratioText(most)})` : ''}`;
  const text = `, ${percentText(share)} of this kernel's ${traffic}${where}`;
  const ifFew = Math.min(1, sumOf(drafts, 'shareIfFew'));
  if (percentText(ifFew) === percentText(share)) return { data: { ...data, share: text }, confidence };
  const assumption = ` if loops of unknown length iterate ${usualTrips} times`;
  return { data: { ...data, share: text + assumption }, confidence: 'assumed' };
}
const sumOf = (drafts: readonly Draft[], name: 'share' | 'shareIfFew' | 'cost'): number =>
  drafts.reduce((sum, draft) => sum + (draft[name] ?? 0), 0);
/** A branch has its share alone: those of its line are not added. */
const startOf = ({ fact }: Wasted): number | undefined => (fact.kind === 'access' ? fact.at.start : undefined);
/** The most that an access is off its ideal; 0 where that is not known. */
export function ratioOf({ fact }: Pick<Wasted, 'fact'>): number {
  return (fact.kind === 'access' && ratioRange(fact)?.[1]) || 0;
}
function placeText({ data, share }: Draft): string {
  const figure = String(data['ratio'] ?? data['lost'] ?? '').replace(/^: /, '');
  const parts = [figure, share === undefined ? '' : percentText(share)].filter(Boolean);
  return `the same here${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}
/** `71 %`, `4.2 %`, `below 0.1 %`. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent < 0.1) return 'below 0.1 %';
  return `${percent >= 9.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}
