// Completion inside our comments (the markers, and the rules with what they find) and inside OpenACC directives.
import { CompletionItemKind, type CompletionItem, type CompletionList } from 'vscode-languageserver';
import { registry } from '../rules/registry';
import type { RuleMeta } from '../rules/rule';
import { isFortran } from '../workspace/fortran';
import { completeDirective } from './directiveCompletion';
import { guarded, type Session } from './session';

export const completionTriggers = ['-', '/', ' ', ',', '(', ':', '$'];

const markers = [
  { label: 'warplens-ignore-line', detail: 'suppresses rules on this line' },
  { label: 'warplens-ignore-next-line', detail: 'suppresses rules on the next line of code' },
  { label: 'warplens-ignore-file', detail: 'suppresses rules in the whole file' },
  { label: 'warplens: hot', detail: 'the time of the function below matters' },
  { label: 'warplens: cold', detail: 'the time of the function below does not matter' },
];

export function serveCompletion(session: Session): void {
  session.connection.onCompletion(
    guarded(session, 'textDocument/completion', null as CompletionItem[] | CompletionList | null, (params) => {
      const { textDocument, position, context } = params;
      const document = session.documents.get(textDocument.uri);
      if (!document) return null;
      const line = document
        .getText({ start: { line: position.line, character: 0 }, end: { line: position.line + 1, character: 0 } })
        .replace(/[\r\n]+$/, '');
      const inComment = completionsAt(
        line,
        position.character,
        isFortran(document.uri, document.languageId) ? '!' : '//|/\\*',
      );
      if (inComment.length === 0) {
        const items = completeDirective(
          document,
          document.offsetAt(position),
          { snippets: session.client.snippetCompletions, markdown: session.client.markdownCompletions },
          context?.triggerCharacter,
        );
        // Asked again at each letter: what is offered for `vect` must be gone when `vector` is complete, or it takes
        // the following Enter.
        return items ? { isIncomplete: true, items } : [];
      }
      return inComment.map(({ from, to, ...item }) => ({
        ...item,
        textEdit: {
          range: { start: { line: position.line, character: from }, end: { line: position.line, character: to } },
          newText: item.label,
        },
      }));
    }),
  );
}

interface Completion extends CompletionItem {
  readonly from: number;
  readonly to: number;
}

/** What is allowed at a column of a line; nothing outside of comments, which `comment` begins. */
function completionsAt(line: string, column: number, comment: string): Completion[] {
  const before = line.slice(0, column);
  const ids = new RegExp(`(?:${comment}).*?warplens-ignore-(?:line|next-line|file)\\s([^:]*)$`).exec(before);
  if (ids) {
    const typed = /[^\s,]*$/.exec(ids[1]!)![0];
    const rest = /^[\w/-]*/.exec(line.slice(column))![0];
    const given = new Set(ids[1]!.slice(0, ids[1]!.length - typed.length).split(/[\s,]+/));
    return registry
      .map((rule) => rule.meta as RuleMeta)
      .filter((meta) => !given.has(meta.id))
      .map((meta) => ({
        label: meta.id,
        kind: CompletionItemKind.Value,
        detail: meta.severity,
        from: column - typed.length,
        to: column + rest.length,
        documentation: { kind: 'markdown', value: `${meta.summary}\n\n${meta.docs.whenNot}` },
        filterText: meta.id,
      }));
  }
  const marker = new RegExp(`(?:${comment})\\s*([a-z-]*(?:: ?[a-z]*)?)$`).exec(before);
  // An empty comment is left in peace: it is most often prose that comes.
  if (!marker || marker[1] === '' || !markers.some(({ label }) => label.startsWith(marker[1]!))) return [];
  const rest = /^[a-z-]*/.exec(line.slice(column))![0];
  return markers.map(({ label, detail }) => ({
    label,
    detail,
    kind: CompletionItemKind.Keyword,
    from: column - marker[1]!.length,
    to: column + rest.length,
    filterText: label,
  }));
}
