// Holds back diagnostics of a directive that is being typed until the cursor leaves it or the file is saved.
import { window, workspace, type Diagnostic, type Position, type TextDocument, type Uri } from 'vscode';
import type { FeatureContext } from '../featureContext';

/** The rules about the form of a directive; half a word breaks any of them. */
const formRules = new Set(['acc/unknown-name', 'acc/clause-argument', 'acc/clause-not-allowed', 'acc/directive-form']);
/** Rules that mark the directive's name: while a clause is being typed, that it is missing is not worth reporting. */
const wholeRules = new Set(['acc/directive-form']);

/** Where somebody types in a directive. */
interface Typing {
  readonly uri: string;
  readonly line: number;
  /** Where the clause under the cursor begins. */
  readonly from: number;
}

export function activateTypedDirectives({ extension, server }: FeatureContext): void {
  let typing: Typing | undefined;
  /** Whether something was held back since the cursor came there. */
  let held = false;

  const become = (next: Typing | undefined): void => {
    const shown = held && (typing?.uri !== next?.uri || typing?.line !== next?.line || typing?.from !== next?.from);
    typing = next;
    if (!shown) return;
    held = false;
    server.refresh('diagnostics');
  };

  server.hide((uri: Uri, { code, range }: Diagnostic) => {
    // An edit is typing where the cursor is: a fix, or another extension, edits elsewhere.
    const cursor = window.activeTextEditor?.selection.active;
    if (!typing || uri.toString() !== typing.uri || cursor?.line !== typing.line || cursor.character < typing.from)
      return false;
    const rule = String(typeof code === 'object' ? code.value : code);
    if (!formRules.has(rule)) return false;
    const hidden =
      range.start.line === typing.line ? wholeRules.has(rule) || range.end.character >= typing.from : false;
    held ||= hidden;
    return hidden;
  });

  extension.subscriptions.push(
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const editor = window.activeTextEditor;
      // Only what one types: an undo, a fix or a formatter leaves a text that is meant.
      if (editor?.document !== document || contentChanges.length !== 1 || contentChanges[0]!.text.length > 40) return;
      const { range, text } = contentChanges[0]!;
      if (text.includes('\n')) become(undefined);
      else become(typingAt(document, range.start.translate(0, text.length)));
    }),
    window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
      if (!typing || textEditor.document.uri.toString() !== typing.uri) return;
      const at = selections[0]!.active;
      const now = typingAt(textEditor.document, at);
      become(now?.line === typing.line && now.from === typing.from ? typing : undefined);
    }),
    window.onDidChangeActiveTextEditor(() => become(undefined)),
    workspace.onDidSaveTextDocument((document) => {
      if (document.uri.toString() === typing?.uri) become(undefined);
    }),
  );
}

/** The clause that a position of a directive's line is in; undefined elsewhere. */
function typingAt(document: TextDocument, { line, character }: Position): Typing | undefined {
  if (line >= document.lineCount) return undefined;
  const before = document.lineAt(line).text.slice(0, character);
  if (!isDirective(document, line)) return undefined;
  // Inside of parentheses the clause begins with the word before the first open one.
  const head = before.slice(0, openParenthesis(before));
  const from = head.length < before.length ? head.search(/[\w$]*\s*$/) : wordBegin(before);
  return { uri: document.uri.toString(), line, from };
}

/** Where the clause begins that a text ends with, its parentheses included; the end behind a blank. */
function wordBegin(text: string): number {
  let depth = 0;
  let from = text.length;
  for (; from > 0; from--) {
    const sign = text[from - 1]!;
    if (sign === ')' || sign === ']') depth++;
    else if (sign === '(' || sign === '[') depth--;
    else if (depth === 0 && /[\s,]/.test(sign)) break;
  }
  return from;
}

/** The first parenthesis that is open at the end of a text. */
function openParenthesis(text: string): number {
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(' || text[at] === '[') open.push(at);
    else if (text[at] === ')' || text[at] === ']') open.pop();
  }
  return open[0] ?? text.length;
}

/** Also a line that goes on from one above. */
function isDirective(document: TextDocument, line: number): boolean {
  for (let at = line; at >= Math.max(0, line - 20); at--) {
    const { text } = document.lineAt(at);
    if (/^\s*(?:#\s*pragma\s+acc\b|[!cC*]\$acc\b)/i.test(text)) return true;
    if (at === 0 || !/\\\s*$/.test(document.lineAt(at - 1).text)) return false;
  }
  return false;
}
