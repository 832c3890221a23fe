// Counts over whole trees which warnings offer a fix, and lists those that do not with the reason.
//
// npx tsx lab/bench/fixes.ts FOLDER… [--extensions .cu,.cuh] [--list FILE.jsonl] [--sum] [--json]
//
// Per tree: the warnings and errors besides cuda/double-in-float (a literal's fix is a suffix and always at hand), by
// rule and message, how many offer a fix, and of the others the reasons that the families of fixes gave. `--list`
// writes all warnings, one object a line; `--sum` prints the sums over all folders alone. Exit status: 0 whatever the
// counts, 2 for bad arguments.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { openWorkspace, readAnalysisFlags } from '../../cli/src/analysis';
import { isAtLeast } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { lineTable } from '../../server/src/syntax/lines';
import { analysedIn } from './analysed';

/** One warning, as `--list` writes it. */
interface Row {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
  readonly fixes: readonly string[];
  /** What the families that came near said, where no fix is offered. */
  readonly why: readonly string[];
  readonly text: string;
}

const literals = 'cuda/double-in-float';

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

async function rowsIn(workspace: Workspace, folder: string, extensions: readonly string[] | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { source, analysed } of analysedIn(workspace, folder, extensions)) {
    const { path, text } = source;
    const table = lineTable(text);
    const lines = text.split('\n');
    for (const finding of lint(analysed.model, text, { gpu: analysed.gpu }).findings) {
      if (!isAtLeast(finding.severity, 'warning')) continue;
      const { line } = table.positionAt(finding.at.start);
      rows.push({
        path: relative(folder, path),
        line: line + 1,
        rule: finding.rule,
        message: finding.message,
        fixes: finding.fixes.map(({ title }) => title),
        why: (finding.refusals ?? []).map(({ family, why }) => `${family}: ${why}`),
        text: (lines[line] ?? '').trim().slice(0, 160),
      });
    }
  }
  return rows;
}

function counted<T>(all: readonly T[], keyOf: (one: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups].sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
}

function share(rows: readonly Row[]): string {
  const fixed = rows.filter(({ fixes }) => fixes.length > 0).length;
  return `${fixed} of ${rows.length}${rows.length ? ` (${Math.round((100 * fixed) / rows.length)} %)` : ''}`;
}

function print(folder: string, all: readonly Row[]): void {
  const rows = all.filter(({ rule }) => rule !== literals);
  console.log(
    `${folder}: besides literals ${share(rows)} warnings offer a fix; ` +
      `literals ${share(all.filter((row) => row.rule === literals))}`,
  );
  for (const [kind, group] of counted(rows, ({ rule, message }) => `${rule} ${message}`)) {
    console.log(`  ${kind}: ${share(group)}`);
    const refused = group.filter(({ fixes }) => fixes.length === 0);
    for (const [why, of] of counted(refused, ({ why }) => why.join(' | ') || 'no family came near').slice(0, 12))
      console.log(`    ${of.length}: ${why}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      extensions: { type: 'string' },
      list: { type: 'string' },
      sum: { type: 'boolean' },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (positionals.length === 0)
    throw new Error('usage: npx tsx lab/bench/fixes.ts FOLDER… [--extensions .cu,.cuh] [--list FILE.jsonl] [--json]');
  const listed: string[] = [];
  const all: Row[] = [];
  const workspace = await openWorkspace(readAnalysisFlags({}), (sentence) => console.error(sentence));
  for (const folder of positionals) {
    const rows = await rowsIn(workspace, folder, values.extensions?.split(','));
    all.push(...rows);
    listed.push(...rows.map((row) => JSON.stringify({ folder, ...row })));
    if (values.json) console.log(JSON.stringify({ folder, rows }));
    else if (rows.length > 0 && !values.sum) print(folder, rows);
  }
  if (positionals.length > 1 && !values.json) print('all', all);
  if (values.list) writeFileSync(values.list, listed.map((row) => `${row}\n`).join(''));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
