// The page of a measurement beside the code: applies or leaves a form, shows outputs and changes.
import { basename } from 'node:path';
import {
  commands,
  EventEmitter,
  Range,
  Uri,
  ViewColumn,
  window,
  workspace,
  WorkspaceEdit,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode';
import type { TrialResult } from '../../../profiler/src/trial/trial';
import { inEditorWords } from '../profiling/problemWords';
import { trialPage, type TrialPageModel, type TrialSubject } from './trialPage';
import { freshNonce } from '../webPage';
import { trialPageHtml } from './trialPageHtml';

/** A form as the editor knows it: the texts that were measured, and the edits that make it. */
export interface EditedForm {
  readonly edits: readonly FormEdit[];
}
export interface FormEdit {
  readonly uri: string;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

export interface ShownTrial {
  readonly result: TrialResult;
  readonly model: TrialPageModel & { readonly applied?: string };
  /** What the page said that it drew; undefined until then. */
  readonly drawn: { readonly forms: unknown; readonly buttons: unknown } | undefined;
  /** What a button of the page sends. */
  act(message: { readonly type: string; readonly form?: number }): Promise<void>;
  readonly isOpen: boolean;
}

export interface TrialPanels extends Disposable {
  readonly shown: readonly ShownTrial[];
  /** `forms` are those of the result, `before` the texts that were measured, by URI. */
  show(
    subject: TrialSubject,
    result: TrialResult,
    forms: readonly EditedForm[],
    before: ReadonlyMap<string, string>,
  ): ShownTrial;
}

const scheme = 'warplens-trial';

export function createTrialPanels(say: (message: string) => void): TrialPanels {
  const shown: ShownTrial[] = [];
  const texts = new Map<string, string>();
  const changed = new EventEmitter<Uri>();
  const provider: TextDocumentContentProvider = {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? 'The measurement with this text is closed.\n',
  };
  const registered = workspace.registerTextDocumentContentProvider(scheme, provider);
  let trials = 0;

  function virtual(trial: number, name: string, text: string): Uri {
    const uri = Uri.from({ scheme, path: `/${trial}/${name}` });
    texts.set(uri.toString(), text);
    return uri;
  }

  return {
    shown,
    show(subject, result, forms, before) {
      const trial = ++trials;
      const panel = window.createWebviewPanel(
        'warplens.trial',
        `Measured: ${subject.title.length > 30 ? `${subject.title.slice(0, 29)}…` : subject.title}`,
        { viewColumn: ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [] },
      );
      let model: ShownTrial['model'] = trialPage(subject, result, inEditorWords);
      let drawn: ShownTrial['drawn'];
      let isOpen = true;
      const send = () => panel.webview.postMessage({ type: 'model', model });

      async function apply(index: number): Promise<void> {
        const edits = forms[index]?.edits ?? [];
        for (const uri of new Set(edits.map((edit) => edit.uri))) {
          const document = await workspace.openTextDocument(Uri.parse(uri)).then(
            (found) => found,
            () => undefined,
          );
          if (document?.getText() !== before.get(uri)) {
            say(
              `Warplens: ${basename(Uri.parse(uri).path)} has changed since the measurement, so nothing was ` +
                'applied. Measure again, or apply the fix from the menu of its line.',
            );
            return;
          }
        }
        const edit = new WorkspaceEdit();
        for (const { uri, start, end, newText } of edits) {
          const document = await workspace.openTextDocument(Uri.parse(uri));
          edit.replace(document.uri, new Range(document.positionAt(start), document.positionAt(end)), newText);
        }
        if (edits.length === 0 || !(await workspace.applyEdit(edit))) {
          say('Warplens: the editor rejected the change.');
          return;
        }
        model = {
          ...model,
          applied: `Applied${subject.kind === 'sweep' ? `: ${model.forms[index]!.name}` : ''}. Undo reverts it.`,
        };
        await send();
        await window.showTextDocument(await workspace.openTextDocument(Uri.parse(edits[0]!.uri)), {
          viewColumn: ViewColumn.One,
        });
      }

      async function showOutput(index: number): Promise<void> {
        const [was, is] = [result.variants[0]!.run, result.variants[index]?.run];
        if (was?.output === undefined || is?.output === undefined) return;
        await commands.executeCommand(
          'vscode.diff',
          virtual(trial, 'unchanged/output', was.output),
          virtual(trial, `${index}/output`, is.output),
          `Output: before ↔ ${model.forms[index]!.name}`,
          { viewColumn: panel.viewColumn },
        );
      }

      async function showChange(index: number): Promise<void> {
        const edits = forms[index]?.edits ?? [];
        const uri = edits[0]?.uri;
        const text = uri === undefined ? undefined : before.get(uri);
        if (uri === undefined || text === undefined) return;
        const name = basename(Uri.parse(uri).path);
        await commands.executeCommand(
          'vscode.diff',
          virtual(trial, `unchanged/${name}`, text),
          virtual(trial, `${index}/${name}`, applyFormEdits(text, edits, uri)),
          `${name}: ${model.forms[index]!.name}`,
          { viewColumn: panel.viewColumn },
        );
      }

      const entry: ShownTrial = {
        result,
        get model() {
          return model;
        },
        get drawn() {
          return drawn;
        },
        get isOpen() {
          return isOpen;
        },
        async act({ type, form }) {
          if (type === 'leave') panel.dispose();
          else if (form !== undefined && type === 'apply' && model.applied === undefined) await apply(form);
          else if (form !== undefined && type === 'output') await showOutput(form);
          else if (form !== undefined && type === 'change') await showChange(form);
        },
      };
      panel.webview.onDidReceiveMessage(async (message: unknown) => {
        const { type, form, forms: rows, buttons } = (message ?? {}) as Readonly<Record<string, unknown>>;
        if (type === 'ready') await send();
        else if (type === 'drawn') drawn = { forms: rows, buttons };
        else if (typeof type === 'string') await entry.act({ type, ...(typeof form === 'number' ? { form } : {}) });
      });
      panel.onDidDispose(() => {
        isOpen = false;
        for (const key of texts.keys()) if (Uri.parse(key).path.startsWith(`/${trial}/`)) texts.delete(key);
      });
      panel.webview.html = trialPageHtml(freshNonce());
      shown.push(entry);
      return entry;
    },
    dispose() {
      registered.dispose();
      changed.dispose();
    },
  };
}

/** A text with the edits of one file made; they do not touch each other. */
export function applyFormEdits(text: string, edits: readonly FormEdit[], uri: string): string {
  return edits
    .filter((edit) => edit.uri === uri)
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((result, { start, end, newText }) => result.slice(0, start) + newText + result.slice(end), text);
}
