// Edits as the protocol has them: versioned for open documents, and refused where a text is no longer the one they were
// made for.
import type { SnippetTextEdit, TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { Edit } from '../semantic/model';
import { lineTable } from '../syntax';
import { distinctEdits } from '../workspace/edits';
import type { CommentInsertion } from './ownComments';
import type { Reading } from './readings';
import type { Session } from './session';

/** Undefined when an edit reaches into a file that cannot be read, or that has changed since it was included. */
export function toWorkspaceEdit(session: Session, reading: Reading, edits: readonly Edit[]): WorkspaceEdit | undefined {
  const changes = new Map<string, TextEdit[]>();
  const distinct = distinctEdits(edits);
  for (const uri of new Set([...distinct.values()].map((edit) => edit.at.uri))) {
    const seen = uri === reading.uri ? reading.text : reading.files.find((file) => file.uri === uri)?.text;
    const current = session.documents.get(uri)?.getText() ?? session.files.read(session.addresses.toPath(uri))?.text;
    if (current === undefined || (seen !== undefined && seen !== current)) return undefined;
    const lines = uri === reading.uri ? reading.lines : lineTable(current);
    const breaks = current.includes('\r\n');
    changes.set(
      uri,
      [...distinct.values()]
        .filter((edit) => edit.at.uri === uri)
        .sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end)
        .map((edit) => ({
          range: lines.rangeOf(edit.at),
          newText: breaks ? edit.newText.replace(/\r?\n/g, '\r\n') : edit.newText,
        })),
    );
  }
  return assemble(session, changes);
}

/** One insertion with a placeholder to type over, where the client can; plain text elsewhere. */
export function toInsertion(
  session: Session,
  reading: Reading,
  { offset, before, placeholder, after }: CommentInsertion,
): WorkspaceEdit {
  const at = reading.lines.positionAt(offset);
  if (session.client.documentChanges && session.client.snippetEdits) {
    const escaped = (text: string): string => text.replace(/[\\$}]/g, '\\$&');
    const edit: SnippetTextEdit = {
      range: { start: at, end: at },
      snippet: { kind: 'snippet', value: `${escaped(before)}\${1:${escaped(placeholder)}}${escaped(after)}` },
    };
    return { documentChanges: [{ textDocument: { uri: reading.uri, version: reading.version }, edits: [edit] }] };
  }
  return assemble(
    session,
    new Map([[reading.uri, [{ range: { start: at, end: at }, newText: before + placeholder + after }]]]),
  );
}

function assemble(session: Session, changes: ReadonlyMap<string, TextEdit[]>): WorkspaceEdit {
  if (!session.client.documentChanges) return { changes: Object.fromEntries(changes) };
  return {
    documentChanges: [...changes].map(
      ([uri, edits]): TextDocumentEdit => ({
        textDocument: { uri, version: session.documents.get(uri)?.version ?? null },
        edits,
      }),
    ),
  };
}
