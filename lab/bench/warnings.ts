// Counts what `check` says over whole trees, in a thousand lines and by rule.
//
// npx tsx lab/bench/warnings.ts FOLDER… [--extensions .cu,.cuh] [--json] [--list]
//
// Per tree: files, lines, findings of each severity in all and a thousand lines, and per rule the findings by severity
// and how many of them offer a fix that keeps the meaning (safe) or only one that may change it (unsafe). Sources are
// those that `warplens check` takes, or of them those with one of the extensions. Then the reach of fixes over warnings
// other than literals and powers, whose fixes are always a text away: how many have a fix, and of the others, by rule,
// message, family and failed precondition, how many. `--list` prints each of the others with its place. Exit status: 0
// whatever the counts, 2 for bad arguments.
import { parseArgs } from 'node:util';
import { openWorkspace, readAnalysisFlags } from '../../cli/src/analysis';
import { severities, type ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { analysedIn } from './analysed';

type Severity = ResolvedFinding['severity'];
interface RuleCount {
  findings: number;
  readonly by: Partial<Record<Severity, number>>;
  safe: number;
  unsafe: number;
}
interface Counts {
  files: number;
  lines: number;
  readonly by: Partial<Record<Severity, number>>;
  readonly rules: Map<string, RuleCount>;
  reach: Reach;
  milliseconds: number;
}

/** Of the warnings besides literals and powers. */
interface Reach {
  warnings: number;
  fixed: number;
  /** Those without a fix by rule, message and what refused them; a warning counts once per reason. */
  readonly reasons: Map<string, number>;
  readonly places: string[];
}

function countReach(reach: Reach, finding: ResolvedFinding, path: string, text: string): void {
  const { rule, message, severity, fixes, refusals = [], at } = finding;
  if (severity !== 'warning' || rule === 'cuda/double-in-float' || rule === 'cuda/slow-math') return;
  reach.warnings++;
  if (fixes.length > 0) {
    reach.fixed++;
    return;
  }
  const reasons = refusals.map(({ family, precondition }) => `${family} ${precondition}`);
  for (const reason of reasons.length > 0 ? reasons : ['no family came near']) {
    const key = `${rule} ${message}: ${reason}`;
    reach.reasons.set(key, (reach.reasons.get(key) ?? 0) + 1);
  }
  const line = text.slice(0, at.start).split('\n').length;
  const why = refusals.map((one) => `${one.family} ${one.precondition}: ${one.why}`).join('; ');
  reach.places.push(`${path}:${line} ${rule} ${message} [${why}] ${finding.text}`);
}

async function countIn(folder: string, extensions: readonly string[] | undefined): Promise<Counts> {
  const reach: Reach = { warnings: 0, fixed: 0, reasons: new Map(), places: [] };
  const counts: Counts = { files: 0, lines: 0, by: {}, rules: new Map(), reach, milliseconds: 0 };
  const workspace = await openWorkspace(readAnalysisFlags({}), (sentence) => console.error(sentence));
  const started = performance.now();
  for await (const { source, analysed } of analysedIn(workspace, folder, extensions)) {
    const { text } = source;
    counts.files++;
    counts.lines += text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    for (const finding of lint(analysed.model, text, { gpu: analysed.gpu }).findings) {
      const rule = counts.rules.get(finding.rule) ?? { findings: 0, by: {}, safe: 0, unsafe: 0 };
      counts.rules.set(finding.rule, rule);
      countReach(reach, finding, source.path, text);
      rule.findings++;
      for (const by of [rule.by, counts.by]) by[finding.severity] = (by[finding.severity] ?? 0) + 1;
      if (finding.fixes.some((fix) => fix.applicability === 'safe')) rule.safe++;
      else if (finding.fixes.length > 0) rule.unsafe++;
    }
  }
  counts.milliseconds = performance.now() - started;
  return counts;
}

function print(folder: string, counts: Counts, list: boolean): void {
  const rank = [...severities].reverse();
  const each = (by: Counts['by']): string => rank.map((severity) => `${severity} ${by[severity] ?? 0}`).join(', ');
  const thousand = rank.map(
    (severity) => `${severity} ${((1000 * (counts.by[severity] ?? 0)) / Math.max(1, counts.lines)).toFixed(2)}`,
  );
  console.log(`${folder}: ${counts.files} files, ${counts.lines} lines, ${(counts.milliseconds / 1000).toFixed(1)} s`);
  console.log(`  findings: ${each(counts.by)}`);
  console.log(`  a thousand lines: ${thousand.join(', ')}`);
  for (const [rule, count] of [...counts.rules].sort(([a], [b]) => a.localeCompare(b)))
    console.log(
      `  ${rule}: ${count.findings} (${each(count.by)}); ` +
        `a safe fix for ${count.safe}, an unsafe one for ${count.unsafe}`,
    );
  const { warnings, fixed, reasons, places } = counts.reach;
  console.log(`  warnings besides literals and powers: ${warnings}, with a fix ${fixed}`);
  for (const [reason, count] of [...reasons].sort(([, a], [, b]) => b - a)) console.log(`    ${count} ${reason}`);
  if (list) for (const place of places) console.log(`    ${place}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { extensions: { type: 'string' }, json: { type: 'boolean' }, list: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length === 0)
    throw new Error('usage: npx tsx lab/bench/warnings.ts FOLDER… [--extensions .cu,.cuh] [--json] [--list]');
  for (const folder of positionals) {
    const counts = await countIn(folder, values.extensions?.split(','));
    if (values.json)
      console.log(
        JSON.stringify({
          folder,
          ...counts,
          rules: Object.fromEntries(counts.rules),
          reach: { ...counts.reach, reasons: Object.fromEntries(counts.reach.reasons) },
        }),
      );
    else print(folder, counts, values.list === true);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
