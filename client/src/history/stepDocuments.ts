// Documents of the history that are no files: the table of steps as Markdown, and the sources of a step, for comparing.
import { EventEmitter, Uri, workspace, Disposable } from 'vscode';
import { changeOf, textsOf } from '../../../profiler/src/history/stepStore';
import { unifiedDiff } from '../../../profiler/src/history/change';
import { markdownSteps } from '../../../profiler/src/history/table';
import type { Step } from '../../../profiler/src/history/steps';
import type { FolderHistory, FoundStep, Histories } from './histories';

const tableScheme = 'warplens-history';
const sourceScheme = 'warplens-step';

/** A diff beyond this is not read in a table. */
const mostDiffLines = 120;

export function registerStepDocuments(histories: Histories): Disposable {
  const changed = new EventEmitter<Uri>();
  const registered = [
    workspace.registerTextDocumentContentProvider(tableScheme, {
      onDidChange: changed.event,
      // The preview's colors of a diff cannot be read in light themes.
      provideTextDocumentContent: async () => (await tableOf(histories.all)).replace(/^(`{3,})diff$/gm, '$1text'),
    }),
    workspace.registerTextDocumentContentProvider(sourceScheme, {
      async provideTextDocumentContent(uri) {
        const { store, number, path } = JSON.parse(uri.query) as { store: string; number: number; path: string };
        const found = histories.find(store, number);
        return found ? ((await textsOf(store, found.row.step)).find((source) => source.path === path)?.text ?? '') : '';
      },
    }),
    histories.onDidChange(() => changed.fire(tableUri)),
  ];
  return { dispose: () => Disposable.from(...registered, changed).dispose() };
}

export const tableUri = Uri.from({ scheme: tableScheme, path: '/Steps.md' });

/** The source of a step as it was built; an empty text where it had none of that path. */
export function sourceUri(store: string, number: number, path: string): Uri {
  return Uri.from({
    scheme: sourceScheme,
    path: path.startsWith('/') ? path : `/${path.replaceAll('\\', '/')}`,
    query: JSON.stringify({ store, number, path }),
  });
}

/** The steps of all folders, of one, or of one series, as Markdown with the change of each below. */
export async function tableOf(all: readonly FolderHistory[], series?: string): Promise<string> {
  if (all.length === 0) return 'No steps yet: open a report, or run "Warplens: Profile This Program…".\n';
  const parts = await Promise.all(
    all.map(async ({ name, root, store, steps, baselines, series: of }) => {
      const wanted =
        series === undefined ? steps : (of.find((one) => one.name === series)?.rows.map(({ step }) => step) ?? []);
      const diffs = new Map<Step, string>();
      for (const step of wanted)
        diffs.set(step, unifiedDiff((await changeOf(store, step, steps))?.files ?? [], root, mostDiffLines));
      return `${all.length > 1 ? `# ${name}\n\n` : ''}${markdownSteps(wanted, baselines, (step) => diffs.get(step))}`;
    }),
  );
  return parts.join('\n');
}

/** Both sides of each file that a step changed. */
export async function changedSources({ history, row }: Pick<FoundStep, 'history' | 'row'>): Promise<
  | {
      readonly before: Step;
      readonly files: readonly { readonly path: string; readonly left: Uri; readonly right: Uri }[];
    }
  | undefined
> {
  const change = await changeOf(history.store, row.step, history.steps);
  return (
    change && {
      before: change.before,
      files: change.files.map(({ path, before, after }) => ({
        path,
        left: sourceUri(history.store, change.before.number, before?.path ?? path),
        right: sourceUri(history.store, row.step.number, after?.path ?? path),
      })),
    }
  );
}
