// What the host suites share: files of the workspace, waiting for the server, and the findings on screen.
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  commands,
  type Diagnostic,
  env,
  extensions,
  FileType,
  languages,
  Range,
  UIKind,
  Uri,
  window,
  workspace,
  type CodeAction,
  type Hover,
  type Position,
  type TextDocument,
  type TextEditor,
} from 'vscode';
import type { Asking } from '../../client/src/profiling/asking';

export const extensionId = 'warplens.warplens';

/** The running extension, as its own `activate` returned it. */
export async function activateExtension(): Promise<{ readonly server: { readonly state: string } }> {
  const extension = extensions.getExtension(extensionId);
  assert.ok(extension, `${extensionId} is not installed`);
  return (await extension.activate()) as { readonly server: { readonly state: string } };
}

export function inWorkspace(path: string): Uri {
  const folder = workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the window has no folder');
  return Uri.joinPath(folder.uri, path);
}

/** Whether the window has no machine behind it: then nothing is profiled or measured. */
export const inBrowser = env.uiKind === UIKind.Web && env.remoteName === undefined;

/** Files below a folder of the workspace whose names fit, in the order of their paths; by no search, which a browser may lack. */
export async function filesBelow(path: string, name: RegExp): Promise<Uri[]> {
  const entries = await workspace.fs.readDirectory(inWorkspace(path));
  const found = entries.map(async ([entry, type]) => {
    if (type & FileType.Directory) return filesBelow(`${path}/${entry}`, name);
    return name.test(entry) ? [inWorkspace(`${path}/${entry}`)] : [];
  });
  return (await Promise.all(found)).flat().sort((a, b) => a.path.localeCompare(b.path));
}

/** Shows a file of the workspace, with the text that it has on disk. */
export async function show(path: string): Promise<TextEditor> {
  const document = await workspace.openTextDocument(inWorkspace(path));
  const editor = await window.showTextDocument(document);
  if (document.isDirty) await commands.executeCommand('workbench.action.files.revert');
  return editor;
}

/** Closes everything without saving. */
export async function closeAll(): Promise<void> {
  for (const document of workspace.textDocuments) {
    if (!document.isDirty) continue;
    await window.showTextDocument(document);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await commands.executeCommand('workbench.action.closeAllEditors');
  // The language client takes an unsaved document for the one before it of the same name, if it opens before that tab is gone.
  await until('no tabs', () => window.tabGroups.all.every(({ tabs }) => tabs.length === 0));
}

export async function until<Value>(
  /** A function is asked when the time is over. */
  what: string | (() => string),
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  milliseconds = 60_000,
): Promise<Value> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) {
      const awaited = typeof what === 'string' ? what : what();
      throw new Error(`Waited ${milliseconds / 1000} s in vain for ${awaited}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The findings of Warplens on a document, in order of place, but for the floats of a thread that could be vectors. */
export function findings(document: TextDocument): Diagnostic[] {
  return languages
    .getDiagnostics(document.uri)
    .filter((diagnostic) => diagnostic.source === 'warplens' && ruleOf(diagnostic) !== 'cuda/bytes-in-flight')
    .sort((a, b) => a.range.start.compareTo(b.range.start));
}

/** The text of all hovers at a place; empty without one. */
export async function hoverAt(document: TextDocument, position: Position): Promise<string> {
  const hovers = await commands.executeCommand<Hover[] | null>('vscode.executeHoverProvider', document.uri, position);
  return (hovers ?? [])
    .flatMap(({ contents }) => contents)
    .map((content) => (typeof content === 'string' ? content : content.value))
    .join('\n');
}

export function ruleOf(diagnostic: Diagnostic): string {
  return typeof diagnostic.code === 'object' ? String(diagnostic.code.value) : String(diagnostic.code);
}

/** `rule:line` for each finding, lines counted from one. */
export function listed(document: TextDocument): string[] {
  return findings(document).map((diagnostic) => `${ruleOf(diagnostic)}:${diagnostic.range.start.line + 1}`);
}

export function findingsOf(document: TextDocument, rule: string): Promise<Diagnostic[]> {
  return until(
    () => `a finding of ${rule} in ${document.uri.path}; there are: ${listed(document).join(', ')}`,
    () => {
      const found = findings(document).filter((diagnostic) => ruleOf(diagnostic) === rule);
      return found.length > 0 && found;
    },
    // The first after two dozen previews took more than 15 s once, at a load of eight on two cores.
    30_000,
  );
}

/** Waits until a document has no finding of the rule, or of any rule. */
export function silence(document: TextDocument, rule?: string): Promise<boolean> {
  return until(`silence ${rule ? `of ${rule} ` : ''}in ${document.uri.path}`, () =>
    findings(document).every((diagnostic) => rule !== undefined && ruleOf(diagnostic) !== rule),
  );
}

/** A code action as the editor's menu would show it at that place. `titled` picks one; the titles on offer are in the message when none fits. */
export async function actionAt(
  document: TextDocument,
  range: Range,
  titled: (action: CodeAction) => boolean,
): Promise<CodeAction> {
  let offered: CodeAction[] = [];
  try {
    return await until(
      'a code action',
      async () => {
        offered =
          (await commands.executeCommand<CodeAction[]>(
            'vscode.executeCodeActionProvider',
            document.uri,
            range,
            undefined,
            30,
          )) ?? [];
        return offered.find(titled);
      },
      5_000,
    );
  } catch {
    throw new Error(
      `No such code action; offered: ${offered.map((action) => `"${action.title}" (${action.kind?.value})`).join(', ') || 'nothing'}`,
    );
  }
}

export async function perform(action: CodeAction): Promise<void> {
  assert.ok(action.edit, `"${action.title}" came without its edit`);
  assert.ok(await workspace.applyEdit(action.edit), `"${action.title}" could not be applied`);
  if (action.command) await commands.executeCommand(action.command.command, ...(action.command.arguments ?? []));
}

/** What is on disk, with the line ends of the editor. */
export function onDisk(path: string): string {
  return readFileSync(inWorkspace(path).fsPath, 'utf8');
}

/** Where the text stands first at or after `from`. */
export function rangeOf(document: TextDocument, text: string, from = 0): Range {
  const at = document.getText().indexOf(text, from);
  assert.ok(at >= 0, `"${text}" is not in ${document.uri.path}`);
  return new Range(document.positionAt(at), document.positionAt(at + text.length));
}

/** Takes the first of what is offered, agrees, and keeps what is said. */
export function yielding(said: string[]): Asking {
  return {
    pick: async (items) => ({ item: items[0]! }),
    input: async () => undefined,
    file: async () => undefined,
    confirm: async () => true,
    async say(_level, message) {
      said.push(message);
      return undefined;
    },
  };
}
