// Edits on text: applied, checked for conflicts, and repeated until nothing is left to fix.
import { withinColumns } from '../semantic/acc';
import { relaidOut } from '../semantic/rewrites';
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

/** Edits of several fixes, with what the layout and the length of lines ask for. */
function combined(all: readonly Edit[], uri: string, text: string): readonly Edit[] {
  const edits = relaidOut(all, uri, text);
  return withinColumns(edits, uri, text) ?? edits;
}

/**
 * The text with the edits of `uri` made at once; equal edits count once. Undefined when two of them conflict or one
 * lies outside the text.
 */
export function applyEdits(text: string, edits: readonly Edit[], uri: string): string | undefined {
  const own = [
    ...new Map(
      combined(edits, uri, text)
        .filter((edit) => edit.at.uri === uri)
        .map((edit) => [`${edit.at.start} ${edit.at.end} ${edit.newText}`, edit]),
    ).values(),
  ].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
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

/**
 * Fixes that can be made together: each finding's first eligible one, in order of place, left out where it would touch
 * what an earlier one touches.
 */
export function compatibleFixes(
  findings: readonly ResolvedFinding[],
  eligible: (fix: Fix, finding: ResolvedFinding) => boolean,
): readonly Fix[] {
  const chosen: Fix[] = [];
  for (const finding of findings) {
    const fix = finding.fixes.find((candidate) => eligible(candidate, finding));
    if (!fix || fix.edits.length === 0) continue;
    if (chosen.every((other) => other.edits.every((a) => fix.edits.every((b) => !conflict(a, b))))) chosen.push(fix);
  }
  return chosen;
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
  /** Of the last round: eligible fixes that were tried and not made. */
  readonly refused: readonly { readonly finding: ResolvedFinding; readonly fix: Fix; readonly reason: string }[];
}

/** What tries fixes before they are made. */
export interface Tried {
  /** The fix as it may be made, or why it may not. */
  of(text: string, finding: ResolvedFinding, fix: Fix): { readonly fix: Fix } | { readonly refused: string };
}

/** Longest run of rounds; every fix removes its finding, so real code needs two or three. */
const mostRounds = 10;

/**
 * Makes every eligible fix of one file, lints again, and goes on until none is left. Fixes that reach into other files
 * are left out: they need those files' text. `relint` gets the new text and says what it finds there. Each fix is tried
 * alone, as for a menu, and not again once it was refused.
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
  /** Reasons of refused fixes, by what they are: places move with the text. */
  const reasons = new Map<string, string>();
  const ended = (rounds: number, converged: boolean): FixAllResult => {
    const refused = remaining.flatMap((finding) =>
      finding.fixes.flatMap((fix) => ({ finding, fix, reason: reasons.get(keyOf(finding, fix)) ?? '' })),
    );
    return { text: current, applied, rounds, edits, converged, refused: refused.filter(({ reason }) => reason) };
  };
  for (let rounds = 0; rounds < mostRounds; rounds++) {
    const text = current;
    const known = new Set(reasons.keys());
    const choose = (finding: ResolvedFinding): readonly Fix[] => {
      for (const fix of finding.fixes) {
        if (fix.edits.some((edit) => edit.at.uri !== uri) || !eligible(fix, finding)) continue;
        if (known.has(keyOf(finding, fix))) continue;
        const trial = tried ? tried.of(text, finding, fix) : { fix };
        if ('fix' in trial) return [trial.fix];
        reasons.set(keyOf(finding, fix), trial.refused);
      }
      return [];
    };
    const fixes = compatibleFixes(
      remaining.map((finding) => ({ ...finding, fixes: choose(finding) })),
      () => true,
    );
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
