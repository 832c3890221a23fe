// What a directive or a clause under the pointer means.
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { clauses, directives, endDirectives, formOf, modifiersOf, vendorClauses } from '../syntax/directives/table';
import { clauseNamed, directiveAround } from './directiveText';
import { clauseMeanings, clauseMeaningsOn, directiveMeanings, wordMeanings, type Meaning } from './directiveWords';

/** The meaning of the word at an offset, in Markdown, and where the word stands. */
export function describeDirective(
  document: TextDocument,
  offset: number,
): { readonly at: { readonly start: number; readonly end: number }; readonly markdown: string } | undefined {
  const directive = directiveAround(document, offset);
  if (!directive) return undefined;
  const { words, name, nameWords, language } = directive;
  if (nameWords > 0 && offset >= directive.start && offset <= words[nameWords - 1]!.end) {
    return {
      at: { start: offset < words[0]!.start ? directive.start : words[0]!.start, end: words[nameWords - 1]!.end },
      markdown: aboutDirective(name, language),
    };
  }
  const word = words.slice(nameWords).find((each) => offset >= each.start && offset <= each.end);
  if (word) {
    const markdown = aboutClause(clauseNamed(word), word.text, name);
    return markdown === undefined ? undefined : { at: { start: word.start, end: word.end }, markdown };
  }
  const around = words.find((each) => each.open !== undefined && offset > each.open && offset < each.close!);
  return around && aboutWord(document, offset, clauseNamed(around), name);
}

/** The first sentence on the title's line, what else there is to say on the next. */
function titled(word: string, text: string): string {
  const [first, ...others] = text.split(/(?<=\.) /);
  return [`**${word}** — ${first}`, ...(others.length > 0 ? [`- ${others.join(' ')}`] : [])].join('\n');
}

/** Markdown of a directive: what it does, the clauses it takes, its end in Fortran. */
export function aboutDirective(name: string, language: 'c' | 'fortran'): string {
  const ended = endDirectives.get(name);
  if (ended !== undefined && !directives.has(name)) return `**${name}** — the end of \`${ended}\`.`;
  const entry = directives.get(name)!;
  const meaning = directiveMeanings[name]!;
  const taken = [...entry.clauses.keys()].filter((clause) => !vendorClauses.has(clause));
  const lines = [titled(name, meaning.text)];
  if (taken.length > 0) lines.push(`- clauses: ${taken.map((clause) => `\`${clause}\``).join(', ')}`);
  if (entry.requiredOneOf.length > 0)
    lines.push(
      '- needs ' +
        `${entry.requiredOneOf.length > 1 ? 'one of ' : ''}${entry.requiredOneOf.map((clause) => `\`${clause}\``).join(', ')}`,
    );
  if (meaning.otherwise) lines.push(`- by default: ${meaning.otherwise}`);
  if (language === 'fortran' && entry.end !== 'none')
    lines.push(`- ${entry.end === 'required' ? 'ends with' : 'may end with'} \`!$acc end ${name}\``);
  if (entry.since) lines.push(`- since OpenACC ${entry.since}`);
  return lines.join('\n');
}

/** A clause in Markdown: what it says, how it is written, what holds without it. Undefined for no clause. */
export function aboutClause(clause: string, written: string, directive: string): string | undefined {
  const entry = clauses.get(clause);
  const meaning: Meaning | undefined = clauseMeaningsOn[`${directive} ${clause}`] ?? clauseMeanings[clause];
  if (!meaning) return undefined;
  const lines = [titled(clause, meaning.text)];
  if (entry) lines.push(`- written \`${form(clause, directive)}\``);
  if (written.toLowerCase() !== clause)
    lines.push(
      written.toLowerCase() === 'dtype'
        ? '- `dtype` is short for `device_type`'
        : `- \`${written.toLowerCase()}\` is an old name for \`${clause}\``,
    );
  if (meaning.otherwise) lines.push(`- without it: ${meaning.otherwise}`);
  const places = [...directives.values()].filter((each) => each.clauses.has(clause)).map((each) => `\`${each.name}\``);
  if (places.length > 0) lines.push(`- allowed on ${places.join(', ')}`);
  const after = directives.get(directive)?.afterDeviceType;
  if (
    after &&
    entry &&
    !after.has(clause) &&
    clause !== 'device_type' &&
    directives.get(directive)!.clauses.has(clause)
  )
    lines.push('- applies to every device: it comes before any `device_type`');
  if (entry?.since) lines.push(`- since OpenACC ${entry.since}`);
  return lines.join('\n');
}

const formText: Readonly<Record<string, string>> = {
  condition: 'condition',
  'optional-condition': 'condition',
  expression: 'number',
  expressions: 'number',
  async: 'queue',
  wait: 'devnum: device : queues: queue, …',
  variables: 'variable, …',
  reduction: 'operator: variable, …',
  'device-types': 'device, … | *',
  default: 'none | present',
  sizes: 'size | *, …',
  count: 'number',
  gang: 'num: n, dim: 1..3, static: n | *',
  name: 'name',
};

/** `async[(queue)]`, `copyin([readonly:] variable, …)`. */
function form(clause: string, directive: string): string {
  const entry = clauses.get(clause)!;
  const { form: kind, parentheses } = formOf(directive, entry);
  if (parentheses === 'none') return clause;
  const modifiers = kind === 'wait' || kind === 'gang' ? [] : modifiersOf(directive, clause);
  const text = `${modifiers.length > 0 ? `[${modifiers.join('|')}:] ` : ''}${formText[kind] ?? ''}`;
  return parentheses === 'optional' ? `${clause}[(${text})]` : `${clause}(${text})`;
}

function aboutWord(
  document: TextDocument,
  offset: number,
  clause: string,
  directive: string,
): { readonly at: { readonly start: number; readonly end: number }; readonly markdown: string } | undefined {
  const { line } = document.positionAt(offset);
  const lineStart = document.offsetAt({ line, character: 0 });
  const text = document.getText().slice(lineStart, document.offsetAt({ line: line + 1, character: 0 }));
  for (const found of text.matchAll(/[A-Za-z_]\w*|\.[A-Za-z]+\./g)) {
    const start = lineStart + found.index;
    const end = start + found[0].length;
    if (offset < start || offset > end) continue;
    const word = found[0].toLowerCase();
    const isModifier =
      /^\s*(?:,\s*\w+\s*)*:(?!:)/.test(text.slice(end - lineStart)) && modifiersOf(directive, clause).includes(word);
    const known =
      isModifier ||
      (clause === 'default' && (word === 'none' || word === 'present')) ||
      clause === 'device_type' ||
      (clause === 'reduction' && /^\s*:/.test(text.slice(end - lineStart)));
    return known && wordMeanings[word] !== undefined
      ? { at: { start, end }, markdown: `**${word}** — ${wordMeanings[word]}` }
      : undefined;
  }
  return undefined;
}
