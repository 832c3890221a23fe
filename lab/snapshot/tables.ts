// Counts over a snapshot as tables of Markdown: offered fixes by family, findings by rule.
import type { Row } from './row';

/** Offers are counted once for each text that they write in a file; refusals once for each finding. */
export function familyTable(rows: readonly Row[]): string {
  const families = new Map<string, { rules: Set<string>; offers: number; safe: number; files: number }>();
  const refusals = new Map<string, Map<string, number>>();
  for (const { fixes = [], findings = [] } of rows) {
    const inFile = new Set<string>();
    for (const { family, rule, safe } of new Map(fixes.map((fix) => [fix.family + fix.edits, fix])).values()) {
      const count = families.get(family) ?? { rules: new Set(), offers: 0, safe: 0, files: 0 };
      families.set(family, count);
      count.rules.add(rule);
      count.offers++;
      if (safe) count.safe++;
      if (!inFile.has(family)) count.files++;
      inFile.add(family);
    }
    for (const refusal of findings.flatMap((finding) => [...new Set(finding.refusals)])) {
      const [family, precondition] = refusal.split(' ') as [string, string];
      const of = refusals.get(family) ?? new Map<string, number>();
      refusals.set(family, of.set(precondition, (of.get(precondition) ?? 0) + 1));
    }
  }
  const names = [...new Set([...families.keys(), ...refusals.keys()])];
  const offersOf = (family: string): number => families.get(family)?.offers ?? 0;
  return table(
    ['family', 'rules', 'offers', 'safe', 'files', 'refusals', 'most frequent'],
    names
      .sort((a, b) => offersOf(b) - offersOf(a) || (a < b ? -1 : 1))
      .map((family) => {
        const { rules = [], safe = 0, files = 0 } = families.get(family) ?? {};
        const why = [...(refusals.get(family) ?? [])].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
        const refused = why.reduce((sum, [, count]) => sum + count, 0);
        const most = why.slice(0, 3).map(([precondition, count]) => `${precondition} ${count}`);
        return [family, [...rules].sort().join(', '), offersOf(family), safe, files, refused, most.join(', ')];
      }),
  );
}

/** A warning has a fix where a finding of its rule on its line has one. */
export function ruleTable(rows: readonly Row[]): string {
  const columns = ['error', 'warning', 'information', 'hint'];
  const rules = new Map<string, Record<string, number>>();
  const add = (rule: string, column: string): void => {
    const counts = rules.get(rule) ?? {};
    rules.set(rule, counts);
    counts[column] = (counts[column] ?? 0) + 1;
  };
  for (const { findings = [], fixes = [] } of rows) {
    const fixed = new Set(fixes.map(({ rule, line }) => `${line} ${rule}`));
    for (const { rule, severity, line } of findings) {
      add(rule, severity);
      if (severity === 'warning' && fixed.has(`${line} ${rule}`)) add(rule, 'fixed');
    }
    for (const { rule, safe } of fixes) add(rule, safe ? 'safe' : 'unsafe');
  }
  return table(
    ['rule', ...columns, 'warnings with a fix', 'safe fixes', 'unsafe'],
    [...rules]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([rule, counts]) => [rule, ...[...columns, 'fixed', 'safe', 'unsafe'].map((column) => counts[column] ?? 0)]),
  );
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNumber = heads.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${isNumber.map((right) => (right ? '--:' : '---')).join('|')}|`, ...rows.map(line)].join('\n');
}
