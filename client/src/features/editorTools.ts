// What an agent may ask of the editor: show a line with what is known of it, and lay a report over its sources.
import * as vscode from 'vscode';
import { commands, languages, Range, Selection, TextEditorRevealType, Uri, window, workspace } from 'vscode';
import { marksOfAll } from '../../../profiler/src/overlay/marks';
import type { FeatureContext } from '../featureContext';
import { pathOf } from '../paths';
import type { ProfileApi } from '../profile/activateProfile';
import { errorText } from '../errorText';

/** What editors from 1.95 have, and the oldest that this extension runs in has not. */
interface ToolHost {
  registerTool?<Input>(
    name: string,
    tool: { invoke(options: { readonly input: Input }): Promise<unknown> },
  ): vscode.Disposable;
}
type TextPart = new (text: string) => unknown;
type ToolResult = new (parts: readonly unknown[]) => unknown;

/** Most hottest lines in an answer about a report, to keep the context of a model small. */
const mostLines = 8;

export function activateEditorTools({ extension }: Pick<FeatureContext, 'extension'>, profile: ProfileApi): void {
  const { lm, LanguageModelTextPart, LanguageModelToolResult } = vscode as unknown as {
    readonly lm?: ToolHost;
    readonly LanguageModelTextPart?: TextPart;
    readonly LanguageModelToolResult?: ToolResult;
  };
  if (!lm?.registerTool || !LanguageModelTextPart || !LanguageModelToolResult) return;
  const register = <Input>(name: string, answer: (input: Input) => Promise<string>): void => {
    const invoke = async ({ input }: { readonly input: Input }): Promise<unknown> => {
      const text = await answer(input).catch((error: unknown) => errorText(error));
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    };
    extension.subscriptions.push(lm.registerTool!<Input>(name, { invoke }));
  };
  register<{ readonly file?: unknown; readonly line?: unknown }>('warplens_reveal', ({ file, line }) =>
    reveal(file, line),
  );
  register<{ readonly report?: unknown }>('warplens_lay_report', ({ report }) => layReport(report, profile));
}

async function reveal(file: unknown, line: unknown): Promise<string> {
  const uri = await inWorkspace(file);
  const document = await workspace.openTextDocument(uri);
  const at = typeof line === 'number' && Number.isInteger(line) ? line : 1;
  if (at < 1 || at > document.lineCount) throw new Error(`${String(file)} has ${document.lineCount} lines.`);
  const range = document.lineAt(at - 1).range;
  const editor = await window.showTextDocument(document, { preview: true });
  editor.selection = new Selection(range.start, range.start);
  editor.revealRange(new Range(range.start, range.end), TextEditorRevealType.InCenterIfOutsideViewport);
  const said = languages
    .getDiagnostics(uri)
    .filter(({ source, range: { start, end } }) => source === 'warplens' && start.line < at && at <= end.line + 1)
    .map(({ message }) => message);
  return [
    `Showing line ${at} of ${String(file)}: ${document.lineAt(at - 1).text.trim()}`,
    ...(said.length > 0 ? said : ['Warplens has no findings on this line yet.']),
  ].join('\n');
}

async function layReport(report: unknown, { store }: ProfileApi): Promise<string> {
  const uri = await inWorkspace(report);
  const shown = await store.load(uri);
  if (!shown) throw new Error(`${String(report)} could not be read.`);
  store.show(shown);
  const seen = new Set<string>();
  const lines = marksOfAll(shown.kernels, 'samples').flatMap(({ line, figure, words }) => {
    const place = shown.places.get(line.file)?.uri;
    const key = `${line.file}:${line.line}`;
    if (!place || seen.has(key)) return [];
    seen.add(key);
    return [`${workspace.asRelativePath(place)}:${line.line} ${figure} of the stall samples: ${words}`];
  });
  await commands.executeCommand('warplens.hottestLines.focus');
  const kernels = shown.kernels.map(({ name }) => name);
  return [
    `${shown.name} is on its sources: ${kernels.length} kernels (${[...new Set(kernels)].slice(0, 5).join(', ')}).`,
    ...(lines.length > 0 ? lines.slice(0, mostLines) : ['The workspace has no measured line.']),
    ...(lines.length > mostLines ? [`${lines.length - mostLines} more lines are marked in the editor.`] : []),
  ].join('\n');
}

/** A path below a folder of the workspace. Throws one sentence for any other. */
async function inWorkspace(path: unknown): Promise<Uri> {
  if (typeof path !== 'string' || path.trim() === '') throw new Error('Use a path in the workspace.');
  for (const folder of workspace.workspaceFolders ?? []) {
    const top = pathOf(folder.uri).replace(/[\\/]$/, '');
    const below = path.startsWith(`${top}/`) ? path.slice(top.length + 1) : path;
    const uri = Uri.joinPath(folder.uri, below);
    if (!uri.path.startsWith(`${folder.uri.path.replace(/\/$/, '')}/`)) continue;
    const found = await Promise.resolve(workspace.fs.stat(uri)).catch(() => undefined);
    if (found) return uri;
  }
  throw new Error(`${path} was not found in the workspace.`);
}
