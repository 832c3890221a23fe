// The row of a file in a snapshot: hashes of what the analysis knows, and all that the checker reports and offers.
import { createHash } from 'node:crypto';
import type { Fix } from '../../server/src/rules/rule';
import { lint } from '../../server/src/lint/lint';
import { lineTable } from '../../server/src/syntax/lines';
import type { Analysed } from '../../server/src/workspace/workspace';

/** One file. What is absent was not reached within the time limit. */
export interface Row {
  readonly tree: string;
  readonly path: string;
  readonly problem?: string;
  /** By kind: how many, and a hash of them in order. */
  readonly facts?: Readonly<Record<string, readonly [number, string]>>;
  readonly findings?: readonly FindingRow[];
  readonly fixes?: readonly FixRow[];
}
export interface FindingRow {
  readonly rule: string;
  readonly line: number;
  readonly message: string;
  readonly severity: string;
  readonly text: string;
  /** Of a finding without fixes: the families that came near, each with the precondition that failed. */
  readonly refusals?: readonly string[];
}
export interface FixRow {
  readonly rule: string;
  readonly line: number;
  readonly family: string;
  readonly title: string;
  readonly safe: boolean;
  readonly edits: string;
}

/** `root` is a URI that ends in a slash; what lies below it is named from it, so that trees may move. */
export function rowOf(tree: string, path: string, root: string, text: string, { model, gpu }: Analysed): Row {
  const { findings, failures } = lint(model, text, { gpu });
  const table = lineTable(text);
  const familyOf = familiesOf(model.facts);
  const hash = (value: unknown): string => hashOf(canonical(value).replaceAll(root, ''));
  const counted = (all: readonly unknown[]): readonly [number, string] => [all.length, hash(all)];
  const fixes: FixRow[] = [];
  const reported = findings.map((finding): FindingRow => {
    const { rule, message, severity, refusals = [] } = finding;
    const line = table.positionAt(finding.at.start).line + 1;
    for (const fix of finding.fixes)
      fixes.push({
        rule,
        line,
        family: familyOf(fix) ?? `${rule} ${fix.alike?.precondition ?? message}`,
        title: fix.title,
        safe: fix.applicability === 'safe',
        edits: hash(fix.edits),
      });
    return {
      rule,
      line,
      message,
      severity,
      text: finding.text,
      ...(refusals.length > 0 && { refusals: refusals.map((one) => `${one.family} ${one.precondition}`) }),
    };
  });
  const facts = Object.entries(model.facts).filter(([, all]) => all.length > 0);
  return {
    tree,
    path,
    ...(failures.length > 0 && { problem: `rules fail: ${failures.map(String).join(' ')}` }),
    facts: Object.fromEntries([
      ...facts.map(([kind, all]) => [kind, counted(all)] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
      ...(model.notes.length > 0 ? [['notes', counted(model.notes)] as const] : []),
    ]),
    findings: reported,
    fixes,
  };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** JSON with sorted keys, so that the order in which an object is filled does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'number' && !Number.isFinite(each)) return String(each);
    if (typeof each === 'bigint') return `${each}n`;
    if (each instanceof Map || each instanceof Set) return [...each];
    if (each === null || typeof each !== 'object' || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Finds the family of a fix by its edits, all of them or, where fixes of several places are joined, one: the name under
 * which a fact has them among its `fixes`, else the kind of the fact and the property.
 */
function familiesOf(facts: object): (fix: Fix) => string | undefined {
  const known = new Map<string, string>();
  const visit = (value: unknown, way: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const each of value) visit(each, way);
      return;
    }
    for (const [key, each] of Object.entries(value)) {
      if (key === 'edits' && Array.isArray(each) && each.length > 0)
        for (const at of [each, ...each].map(canonical))
          if (!known.has(at)) known.set(at, way.at(-2) === 'fixes' ? way.at(-1)! : way.join('.'));
      visit(each, [...way, key]);
    }
  };
  visit(facts, []);
  return ({ edits }) => [edits, ...edits].map((each) => known.get(canonical(each))).find(Boolean);
}
