// What can be done with a step of the history: its report, change and words, its removal, and the table.
import { basename } from 'node:path';
import { commands, env, Uri, window, workspace } from 'vscode';
import { describeStep, removeStep, reportPath } from '../../../profiler/src/history/stepStore';
import { reasonOf, rowLabel } from '../../../profiler/src/history/table';
import type { ProfileStore } from '../profile/store';
import type { Asking } from '../profiling/asking';
import type { FoundStep, Histories } from './histories';
import { changedSources, tableOf } from './stepDocuments';

export interface StepActions {
  /** Undefined where the report is not beside its table, which has been said by then. */
  reportOf(found: FoundStep): Uri | undefined;
  showChange(found: FoundStep): Promise<void>;
  /** `words` are asked for where they are no text. */
  rename(found: FoundStep, words: unknown): Promise<void>;
  describe(found: FoundStep, words: unknown): Promise<void>;
  remove(found: FoundStep): Promise<void>;
  exportTable(value: unknown): Promise<void>;
}

/** @param asking whom the questions are put to at that time */
export function stepActions(asking: () => Asking, histories: Histories, store: ProfileStore): StepActions {
  const reportOf = ({ history, row }: FoundStep): Uri | undefined => {
    const path = reportPath(history.store, row.step);
    if (path !== undefined) return Uri.file(path);
    void asking().say(
      'error',
      `Warplens: the report "${row.step.report}" of this step was not found beside the table of steps.`,
    );
    return undefined;
  };

  async function showChange(found: FoundStep): Promise<void> {
    const { row } = found;
    const change = await changedSources(found);
    if (!change) {
      void asking().say(
        'information',
        row.position === 0
          ? `Warplens: ${rowLabel(row)} is the first step and has no step before it.`
          : `Warplens: the sources of ${rowLabel(row)} or of the previous step were not kept.`,
      );
      return;
    }
    if (change.files.length === 0) {
      void asking().say(
        'information',
        `Warplens: ${rowLabel(row)} was built from the same sources as ${change.before.label}.`,
      );
      return;
    }
    const title = `${change.before.label} → ${rowLabel(row)}`;
    const [first] = change.files;
    if (change.files.length === 1)
      await commands.executeCommand('vscode.diff', first!.left, first!.right, `${basename(first!.path)}: ${title}`);
    else
      await commands.executeCommand(
        'vscode.changes',
        title,
        change.files.map(({ path, left, right }) => [Uri.file(path), left, right]),
      );
  }

  async function rename({ history, row }: FoundStep, words: unknown): Promise<void> {
    const label =
      typeof words === 'string'
        ? words
        : await asking().input({
            title: 'Name of the step',
            value: row.step.label,
            prompt: 'Name in the list and the table',
            validateInput: (text) => (text.trim() === '' ? 'A step needs a name.' : undefined),
          });
    if (label !== undefined && label.trim() !== '') await describeStep(history.store, row.step.number, { label });
  }

  async function describe({ history, row }: FoundStep, words: unknown): Promise<void> {
    const remark =
      typeof words === 'string'
        ? words
        : await asking().input({
            title: `Change in ${rowLabel(row)}`,
            value: reasonOf(row.step),
            prompt: 'One line; empty for the first changed source line',
          });
    if (remark !== undefined) await describeStep(history.store, row.step.number, { remark });
  }

  async function remove({ history, row }: FoundStep): Promise<void> {
    const sure = await asking().confirm(
      `Remove ${rowLabel(row)}?`,
      `This deletes its report ${row.step.report} and the sources that no other step uses.`,
      'Remove',
    );
    if (!sure) return;
    if (store.active?.uri.fsPath === reportPath(history.store, row.step)) store.clear();
    await removeStep(history.store, row.step.number);
  }

  async function exportTable(value: unknown): Promise<void> {
    const { series, to } = (value ?? {}) as {
      readonly series?: { readonly name: string } | string;
      readonly to?: unknown;
    };
    const text = await tableOf(histories.all, typeof series === 'string' ? series : series?.name);
    let target = to;
    if (target === undefined) {
      const chosen = await asking().pick(
        [
          { label: '$(clippy) Clipboard', to: 'clipboard' },
          { label: '$(save) File…', to: 'file' },
        ],
        { title: 'Export Steps as Markdown', placeholder: 'Where to' },
      );
      target = chosen?.item.to;
    }
    if (target === 'clipboard') {
      await env.clipboard.writeText(text);
      window.setStatusBarMessage('$(clippy) Table of steps copied to the clipboard', 4_000);
    } else if (target !== undefined) {
      const uri =
        target instanceof Uri
          ? target
          : target === 'file'
            ? await window.showSaveDialog({
                title: 'Export Steps as Markdown',
                filters: { Markdown: ['md'] },
                ...(histories.all[0] && { defaultUri: Uri.joinPath(Uri.file(histories.all[0].root), 'steps.md') }),
              })
            : Uri.file(String(target));
      if (uri) await workspace.fs.writeFile(uri, Buffer.from(text, 'utf8'));
    }
  }

  return { reportOf, showChange, rename, describe, remove, exportTable };
}
