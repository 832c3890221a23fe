// The edits of a form as offsets of the texts that they change.
import { basename } from 'node:path';
import { Range, Uri, workspace, type TextDocument } from 'vscode';
import type { FoundFix, TextRange } from '../../../protocol/src/requests';
import type { FormEdit } from './trialPanel';

export async function formEdits(edits: FoundFix['edits']): Promise<FormEdit[]> {
  return Promise.all(
    edits.map(async ({ uri, range, newText }) => {
      const document = await workspace.openTextDocument(Uri.parse(uri));
      const { start, end } = positionOf(range, document);
      return { uri, start: document.offsetAt(start), end: document.offsetAt(end), newText };
    }),
  );
}

export async function textsOf(edits: readonly FormEdit[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { uri } of edits)
    if (!texts.has(uri)) texts.set(uri, (await workspace.openTextDocument(Uri.parse(uri))).getText());
  return texts;
}

export function positionOf({ start, end }: TextRange, document: TextDocument): Range {
  return document.validateRange(new Range(start.line, start.character, end.line, end.character));
}
export function placeOf(document: TextDocument, line: number): string {
  return `${basename(document.uri.path)}:${line + 1}`;
}
