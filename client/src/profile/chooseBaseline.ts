// Asks what a report is to be compared with: steps of the history, reports near it, or any file.
import { dirname } from 'node:path';
import { FileType, QuickPickItemKind, Uri, window, workspace, type QuickPickItem } from 'vscode';
import type { Asking } from '../profiling/asking';
import { nameOf } from './store';

/** What a report is compared with. */
export interface Baseline {
  readonly uri: Uri;
  readonly name: string;
}

/** A report that the history knows. */
export interface KnownReport extends Baseline {
  /** Its times, and the table that contains it. */
  readonly description: string;
  /** The change that led to it. */
  readonly detail: string;
  /** To the report that it is offered for: a copy of it, in its table, or in another one. */
  readonly relation: 'same' | 'program' | 'other';
}

export interface BaselineRow extends QuickPickItem {
  readonly baseline?: Baseline;
  readonly then?: 'browse' | 'none';
}

/** A search of a large workspace must not keep the list from coming. */
const longestSearchMs = 2_000;
const mostReports = 50;

/** The rows of the list, and the separators between them. */
export async function baselineRows(
  report: Uri,
  steps: readonly KnownReport[],
  compared: boolean,
): Promise<readonly BaselineRow[]> {
  const own = report.toString();
  const listed = new Set([own, ...steps.map(({ uri }) => uri.toString())]);
  const reports: Uri[] = [];
  for (const uri of [...openReports(), ...(await reportsBeside(report)), ...(await reportsInWorkspace())]) {
    if (listed.has(uri.toString()) || reports.length >= mostReports) continue;
    listed.add(uri.toString());
    reports.push(uri);
  }
  const between = (label: string, rows: readonly BaselineRow[]): readonly BaselineRow[] =>
    rows.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...rows];
  return [
    ...(compared ? [{ label: '$(close) No comparison', then: 'none' } as const] : []),
    ...between('steps of this program', stepRows(steps, 'program')),
    ...between(
      'reports',
      reports.map((uri) => ({
        label: `$(graph) ${nameOf(uri.path)}`,
        description: dirname(workspace.asRelativePath(uri)),
        baseline: { uri, name: nameOf(uri.path) },
      })),
    ),
    ...between('steps of other programs', stepRows(steps, 'other')),
    ...between('elsewhere', [{ label: '$(folder-opened) Another file…', then: 'browse' }]),
  ];
}

function stepRows(steps: readonly KnownReport[], wanted: KnownReport['relation']): readonly BaselineRow[] {
  return steps.flatMap(({ uri, name, description, detail, relation }) =>
    relation === wanted ? [{ label: `$(history) ${name}`, description, detail, baseline: { uri, name } }] : [],
  );
}

/** Undefined when the user turned away; `none` when the report is to stand alone. */
export async function chooseBaseline(
  asking: Asking,
  report: Uri,
  steps: readonly KnownReport[],
  compared: boolean,
): Promise<Baseline | 'none' | undefined> {
  const title = `Compare ${nameOf(report.path)} with`;
  const chosen = await asking.pick(await baselineRows(report, steps, compared), {
    title,
    placeholder: 'A step, or another report',
  });
  if (chosen?.item.then === 'none') return 'none';
  if (chosen?.item.then !== 'browse') return chosen?.item.baseline;
  const uri = await asking.file({
    title,
    filters: { 'Nsight Compute reports': ['ncu-rep', 'ncu-repz', 'nsight-cuprof-report'] },
  });
  return uri && { uri, name: nameOf(uri.path) };
}

function openReports(): Uri[] {
  return window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => {
      const { uri } = (input ?? {}) as { readonly uri?: unknown };
      return uri instanceof Uri && isReport(uri.path) ? [uri] : [];
    }),
  );
}

/** Files in the same folder, the newest first. */
async function reportsBeside(report: Uri): Promise<Uri[]> {
  const folder = Uri.joinPath(report, '..');
  const entries = await Promise.resolve(workspace.fs.readDirectory(folder)).catch(() => []);
  const names = entries.flatMap(([name, type]) => (type & FileType.File && isReport(name) ? [name] : []));
  const dated = await Promise.all(
    names.slice(0, 4 * mostReports).map(async (name) => {
      const uri = Uri.joinPath(folder, name);
      const found = await Promise.resolve(workspace.fs.stat(uri)).catch(() => undefined);
      return { uri, modified: found?.mtime ?? 0 };
    }),
  );
  // Files that were copied together are of one minute: in order of their names.
  const minute = ({ modified }: { readonly modified: number }): number => Math.floor(modified / 60_000);
  return dated
    .sort((a, b) => minute(b) - minute(a) || a.uri.path.localeCompare(b.uri.path, undefined, { numeric: true }))
    .map(({ uri }) => uri);
}

async function reportsInWorkspace(): Promise<Uri[]> {
  // Where the search is broken or slow, the list is shorter.
  let pause: NodeJS.Timeout | undefined;
  const late = new Promise<Uri[]>((resolve) => {
    pause = setTimeout(() => resolve([]), longestSearchMs);
  });
  const found = Promise.resolve(
    workspace.findFiles('**/*.{ncu-rep,ncu-repz,nsight-cuprof-report}', '**/{node_modules,.git}/**', mostReports),
  ).catch(() => []);
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(pause);
  }
}

function isReport(path: string): boolean {
  return /\.(ncu-repz?|nsight-cuprof-report)$/.test(path);
}
