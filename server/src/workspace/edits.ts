// Edits on text: applied, checked for conflicts, and repeated until nothing is left to fix.
import { withinColumns } from '../semantic/acc';
import { relaidOut } from '../semantic/fixes';
import type { Edit } from '../semantic/model';
import type { Fix } from '../rules/rule';
import type { ResolvedFinding } from '../lint/finding';

/**
 * True where two edits touch the same text, or insert at the same place. Edits of different files never do, nor those
 * that keep the layout: they follow from the others.
 */
export function conflict(a: Edit, b: Edit): boolean {
  if (a.at.uri !== b.at.uri || a.layout || b.layout) return false;
  if (a.at.start === b.at.start && a.at.end === b.at.end && a.newText === b.newText) return false;
  return (
    (a.at.start < b.at.end && b.at.start < a.at.end) ||
    a.at.start === b.at.start ||
    (a.at.start === a.at.end && a.at.start > b.at.start && a.at.start < b.at.end) ||
    (b.at.start === b.at.end && b.at.start > a.at.start && b.at.start < a.at.end)
  );
}

/** Equal edits count once. */
export function distinctEdits(edits: readonly Edit[]): Map<string, Edit> {
  return new Map(edits.map((edit) => [`${edit.at.uri} ${edit.at.start} ${edit.at.end} ${edit.newText}`, edit]));
}

/** Edits of several fixes, with what the layout and the length of lines ask for. */
function combined(all: readonly Edit[], uri: string, text: string): readonly Edit[] {
  const edits = relaidOut(all, uri, text);
  return withinColumns(edits, uri, text) ?? edits;
}

/** The text with the edits of `uri`, equal ones once; undefined where two conflict, or one lies outside the text. */
export function applyEdits(text: string, edits: readonly Edit[], uri: string): string | undefined {
  const own = [...distinctEdits(combined(edits, uri, text)).values()]
    .filter((edit) => edit.at.uri === uri)
    .sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  let result = '';
  let last = 0;
  for (const [index, edit] of own.entries()) {
    if (edit.at.start < last || edit.at.end < edit.at.start || edit.at.end > text.length) return undefined;
    if (index > 0 && conflict(own[index - 1]!, edit)) return undefined;
    result += text.slice(last, edit.at.start) + edit.newText;
    last = edit.at.end;
  }
  return result + text.slice(last);
}

/** The first eligible fix of each finding, in order of place, without those that touch what an earlier one touches. */
export function compatibleFixes(
  findings: readonly ResolvedFinding[],
  eligible: (fix: Fix, finding: ResolvedFinding) => boolean,
): readonly Fix[] {
  const chosen: Fix[] = [];
  // Fixes of many findings share hundreds of edits: what one of them passed, the others do.
  const made = new Map<string, Edit>();
  for (const finding of findings) {
    const fix = finding.fixes.find((candidate) => eligible(candidate, finding));
    const added = [...distinctEdits(fix?.edits ?? [])].filter(([key]) => !made.has(key));
    if (!fix || fix.edits.length === 0 || added.some(([, edit]) => touches(edit, made.values()))) continue;
    chosen.push(fix);
    for (const [key, edit] of added) made.set(key, edit);
  }
  return chosen;
}

function touches(edit: Edit, others: Iterable<Edit>): boolean {
  for (const other of others) if (conflict(edit, other)) return true;
  return false;
}

const editsOf = (fixes: readonly Fix[]): Edit[] => fixes.flatMap((fix) => fix.edits);

export interface FixAllResult {
  readonly text: string;
  readonly applied: number;
  readonly rounds: number;
  /** Of the first round. */
  readonly edits: readonly Edit[];
  /** False when fixes were still offered after the last round allowed. */
  readonly converged: boolean;
  /** Eligible fixes that were not made: those of the last round, and others at their place in the first text. */
  readonly refused: readonly LeftOut[];
}
export interface LeftOut {
  readonly finding: ResolvedFinding;
  readonly fix: Fix;
  readonly reason: string;
  /** That the place of the finding is of. */
  readonly text: string;
}

/** What tries fixes before they are made. */
export interface Tried {
  of(text: string, finding: ResolvedFinding, fix: Fix): { readonly fix: Fix } | { readonly refused: string };
}

/** Longest run of rounds; every fix removes its finding, so real code needs two or three. */
const mostRounds = 10;

/**
 * Makes every eligible fix of one file, lints again, and goes on until none is left. Fixes that reach into other files
 * are left out: they need those files' text. Each fix is tried alone, as for a menu, and not again once it was refused.
 */
export function fixAll(
  text: string,
  uri: string,
  findings: readonly ResolvedFinding[],
  relint: (text: string) => readonly ResolvedFinding[],
  eligible: (fix: Fix, finding: ResolvedFinding) => boolean = (fix) => fix.applicability === 'safe',
  tried?: Tried,
): FixAllResult {
  let current = text;
  let remaining = findings;
  let applied = 0;
  let edits: readonly Edit[] = [];
  /** Refused fixes by what they are, since places move with the text: where they came up first. */
  const refused = new Map<string, LeftOut>();
  /** Fixes that another one was made before, or that another file needs, by the same. */
  const displaced = new Map<string, LeftOut>();
  const ended = (rounds: number, converged: boolean): FixAllResult => {
    const all = remaining.flatMap((finding) => finding.fixes.map((fix) => ({ finding, fix, text: current })));
    const left = all.flatMap((one): LeftOut[] => {
      const key = keyOf(one.finding, one.fix);
      const known = refused.get(key) ?? displaced.get(key);
      return known === undefined ? [] : [{ ...one, reason: known.reason }];
    });
    const gone = new Map([...refused, ...displaced]);
    for (const { finding, fix } of left) gone.delete(keyOf(finding, fix));
    return { text: current, applied, rounds, edits, converged, refused: [...left, ...gone.values()] };
  };
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const text = current;
    const known = new Set(refused.keys());
    const displace = (finding: ResolvedFinding, fix: Fix, reason: string): void => {
      const key = keyOf(finding, fix);
      displaced.set(key, displaced.get(key) ?? { finding, fix, reason, text });
    };
    const choose = (finding: ResolvedFinding): readonly Fix[] => {
      for (const fix of finding.fixes) {
        if (!eligible(fix, finding) || known.has(keyOf(finding, fix))) continue;
        const elsewhere = fix.edits.find((edit) => edit.at.uri !== uri)?.at.uri;
        if (elsewhere !== undefined) {
          const name = decodeURIComponent(elsewhere.slice(elsewhere.lastIndexOf('/') + 1));
          displace(finding, fix, `it edits \`${name}\``);
          continue;
        }
        const trial = tried?.of(text, finding, fix) ?? { fix };
        if ('fix' in trial) return [trial.fix];
        refused.set(keyOf(finding, fix), { finding, fix, reason: trial.refused, text });
      }
      return [];
    };
    const candidates = remaining.map((finding) => ({ ...finding, fixes: choose(finding) }));
    const fixes = compatibleFixes(candidates, () => true);
    for (const [index, finding] of candidates.entries())
      for (const fix of finding.fixes) {
        const isMade = fixes.includes(fix);
        const other = isMade ? undefined : fixes.find((one) => fix.edits.some((edit) => touches(edit, one.edits)));
        if (other) displace(finding, fix, `"${other.title}" was made there`);
        else displaced.delete(keyOf(finding, fix));
        if (isMade) for (const each of remaining[index]!.fixes) refused.delete(keyOf(finding, each));
      }
    const next = applyEdits(text, editsOf(fixes), uri);
    if (fixes.length === 0 || next === undefined || next === current) return ended(rounds, fixes.length === 0);
    if (rounds === 0) edits = combined(editsOf(fixes), uri, text);
    applied += fixes.length;
    current = next;
    remaining = relint(current);
  }
  return ended(mostRounds, false);
}

function keyOf({ rule, within }: ResolvedFinding, { title, edits }: Fix): string {
  return [rule, within, title, ...edits.map(({ newText }) => newText)].join('\n');
}
