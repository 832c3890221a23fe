// Findings about our own comments: what they name does not exist, or they do nothing.
import type { Model, Span } from '../semantic/model';
import { docsBase, type ResolvedFinding } from './finding';
import { isSaid } from './marks';
import { nearest } from '../syntax/nearest';
import type { Suppression } from './suppressions';
import { wholeLines } from '../syntax/lines';

/** Rule-shaped ids under which findings about comments are reported. */
export const commentFindings = {
  unused: 'warplens/unused-suppression',
  unknown: 'warplens/unknown-rule',
  unusedMark: 'warplens/unused-mark',
  unknownMark: 'warplens/unknown-mark',
} as const;

export function* aboutSuppressions(
  suppressions: readonly Suppression[],
  used: ReadonlySet<Suppression>,
  uri: string,
  text: string,
  ids: readonly string[],
  hasRun: (id: string) => boolean,
): Generator<ResolvedFinding> {
  for (const suppression of suppressions) {
    const unknown = suppression.rules.filter(({ id }) => !ids.includes(id));
    for (const { id, start, end } of unknown)
      yield unknownWord(commentFindings.unknown, `No rule is called \`${id}\``, id, { uri, start, end }, ids);
    // A comment is called unused only when every rule it could have silenced has run.
    const couldSilence =
      suppression.rules.length === 0 ? ids : suppression.rules.map(({ id }) => id).filter((id) => ids.includes(id));
    if (unknown.length > 0 || used.has(suppression) || couldSilence.length === 0 || !couldSilence.every(hasRun))
      continue;
    const { start, end } = suppression;
    const sentence = 'Nothing is left for this comment to silence: remove it.';
    yield withoutEffect(commentFindings.unused, sentence, { uri, start, end }, text);
  }
}

export function* aboutMarks({ uri, marks = [] }: Model, text: string): Generator<ResolvedFinding> {
  for (const { at, word, wordAt, of } of marks) {
    if (at.uri !== uri) continue;
    if (!isSaid(word))
      yield unknownWord(commentFindings.unknownMark, `Unknown mark \`${word}\``, word, wordAt, ['hot', 'cold']);
    else if (!of)
      yield withoutEffect(
        commentFindings.unusedMark,
        'No function or OpenACC construct begins below this comment: move it there, or remove it.',
        at,
        text,
      );
  }
}

function unknownWord(rule: string, sentence: string, id: string, at: Span, words: readonly string[]): ResolvedFinding {
  const near = nearest(id, words);
  return {
    ...aboutComment(rule, 'unknown', at),
    data: { id },
    text: `${sentence}${near === undefined ? '.' : `: did you mean \`${near}\`?`}`,
    fixes:
      near === undefined ? [] : [{ title: `Write \`${near}\``, applicability: 'safe', edits: [{ at, newText: near }] }],
  };
}

function withoutEffect(rule: string, sentence: string, at: Span, text: string): ResolvedFinding {
  return {
    ...aboutComment(rule, 'unused', at),
    text: sentence,
    fixes: [
      {
        title: 'Remove the comment',
        applicability: 'unsafe',
        edits: [{ at: { ...at, ...withItsLine(at, text) }, newText: '' }],
      },
    ],
  };
}

function aboutComment(rule: string, message: string, at: Span): Omit<ResolvedFinding, 'text' | 'fixes'> {
  return {
    rule,
    message,
    severity: 'hint',
    confidence: 'proven',
    related: [],
    data: {},
    at,
    docsUrl: `${docsBase}README.md`,
  };
}

/** The comment with the blanks before it, and with its line where it stands alone. */
function withItsLine(comment: Span, text: string): { readonly start: number; readonly end: number } {
  const lines = wholeLines(text, comment);
  return lines ?? { start: comment.start - /[ \t]*$/.exec(text.slice(0, comment.start))![0].length, end: comment.end };
}
