// Completion at the pointer in an OpenACC directive: directives, allowed clauses that are not yet used, and arguments.
import { CompletionItemKind, InsertTextFormat, type CompletionItem, type MarkupContent } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import {
  clauses,
  defaultKinds,
  deviceTypes,
  directives,
  endDirectives,
  formOf,
  modifiersOf,
  reductionOperators,
  vendorClauses,
  type DirectiveEntry,
} from '../syntax/directives/table';
import { aboutClause, aboutDirective } from './directiveHover';
import { clauseNamed, directiveAround, languageOf, type DirectiveText, type DirectiveWord } from './directiveText';
import { clauseMeanings, clauseMeaningsOn, directiveMeanings, wordMeanings } from './directiveWords';

export interface CompletionAbilities {
  readonly snippets: boolean;
  readonly markdown: boolean;
}

/**
 * Undefined where no directive stands or begins at the offset; an empty list where one does and nothing is known to
 * fit, or where the word at the pointer is complete: Enter is then the end of the line, and not the choice of an item
 * that changes nothing.
 *
 * @param trigger the character that asked by itself; absent where the user did, or wrote a word
 */
export function completeDirective(
  document: TextDocument,
  offset: number,
  abilities: CompletionAbilities,
  trigger?: string,
): CompletionItem[] | undefined {
  const { language } = languageOf(document);
  const { line, character } = document.positionAt(offset);
  const before = document.getText({ start: { line, character: 0 }, end: { line, character } });
  const beginning =
    language === 'c'
      ? /^\s*#\s*pragma\s+(a?c{0,2})$/.exec(before)?.[1]
      : /^\s*([!cC*]\$[aA]?[cC]{0,2})$/.exec(before)?.[1];
  const itemsFrom = (from: number, choices: readonly Choice[]): CompletionItem[] =>
    choices.map((choice, rank) => itemOf(choice, rank, document, from, endOfWord(document, offset), abilities));
  if (beginning !== undefined) {
    const sentinel = language === 'c' ? 'acc' : `${beginning[0]}$acc`;
    return itemsFrom(offset - beginning.length, directiveChoices(language, `${sentinel} `));
  }
  const typed = directiveAround(document, offset, offset);
  const whole = directiveAround(document, offset);
  if (!typed || !whole) return undefined;
  const lineStart = offset - character;
  if (
    (language === 'c' ? /\/\/|\/\*(?!.*\*\/)/ : /!/).test(
      before.slice(Math.max(0, typed.start - lineStart) + 1).replace(/^\s*!(?=\$acc)/i, ''),
    )
  )
    return [];
  const last = typed.words[typed.words.length - 1];
  if (last?.open !== undefined && last.open < offset && last.close === offset && document.getText()[offset - 1] !== ')')
    return itemsFrom(startOfWord(document, offset), argumentChoices(document, typed, last, offset));
  // The word at the pointer is being written: it is not one of those that stand already.
  const writing = last && last.open === undefined && last.end === offset ? last : undefined;
  const words = typed.words.filter((word) => word !== writing);
  const from = writing?.start ?? offset;
  if (!writing && /[\w$)]$/.test(before) && words.length > 0 && last?.close !== offset) return [];
  const nextNames = secondWords(
    words.map((word) => word.text.toLowerCase()),
    language,
  );
  const settled = settledName(words, language);
  // A blank behind a directive that can stand as it is asks for nothing: the next key may be Enter.
  if (trigger === ' ' && settled && settled.requiredOneOf.length === 0) return [];
  const choices = [
    ...(words.length === 0 ? directiveChoices(language, '') : nextNames),
    ...(settled ? clauseChoices(settled, words, whole, writing) : []),
  ];
  const written = writing?.text.toLowerCase();
  const complete = choices.find(({ label }) => label === written);
  return complete && complete.snippet === undefined ? [] : itemsFrom(from, choices);
}

/** Something to offer. */
interface Choice {
  readonly label: string;
  readonly snippet?: string;
  readonly detail?: string;
  readonly documentation?: string | undefined;
  readonly kind: CompletionItemKind;
}

function itemOf(
  choice: Choice,
  rank: number,
  document: TextDocument,
  from: number,
  to: number,
  { snippets, markdown }: CompletionAbilities,
): CompletionItem {
  const range = { start: document.positionAt(from), end: document.positionAt(to) };
  const snippet = snippets && choice.snippet !== undefined;
  const documentation: MarkupContent | string | undefined =
    choice.documentation === undefined
      ? undefined
      : markdown
        ? { kind: 'markdown', value: choice.documentation }
        : choice.documentation.replace(/\*\*|`/g, '');
  return {
    label: choice.label,
    kind: choice.kind,
    sortText: String(rank).padStart(3, '0'),
    filterText: choice.label,
    ...(choice.detail && { detail: choice.detail }),
    ...(documentation && { documentation }),
    insertTextFormat: snippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
    textEdit: { range, newText: snippet ? choice.snippet! : choice.label },
  };
}

function endOfWord(document: TextDocument, offset: number): number {
  return offset + /^\w*/.exec(document.getText().slice(offset, offset + 80))![0].length;
}

function startOfWord(document: TextDocument, offset: number): number {
  return offset - /[\w$]*$/.exec(document.getText().slice(Math.max(0, offset - 80), offset))![0].length;
}

/** The most used first. */
const directiveOrder = [
  'parallel loop',
  'loop',
  'kernels',
  'data',
  'parallel',
  'update',
  'enter data',
  'exit data',
  'routine',
  'atomic',
  'wait',
  'host_data',
  'kernels loop',
  'declare',
  'cache',
  'serial',
  'serial loop',
  'init',
  'set',
  'shutdown',
];

const clauseOrder = [
  'gang',
  'worker',
  'vector',
  'seq',
  'vector_length',
  'num_workers',
  'num_gangs',
  'collapse',
  'reduction',
  'private',
  'copyin',
  'copyout',
  'copy',
  'create',
  'present',
  'independent',
  'async',
  'wait',
  'default',
  'if',
  'device_type',
];
const rankOf = (clause: string): number =>
  clauseOrder.includes(clause) ? clauseOrder.indexOf(clause) : clauseOrder.length;

function directiveChoices(language: 'c' | 'fortran', prefix: string): Choice[] {
  const names = [...directiveOrder, ...(language === 'fortran' ? endDirectives.keys() : [])];
  return names.map((name) => ({
    label: `${prefix}${name}`,
    kind: CompletionItemKind.Keyword,
    documentation: aboutDirective(name, language),
    ...(directiveMeanings[name]?.snippet && { snippet: `${escaped(prefix)}${directiveMeanings[name]!.snippet}` }),
  }));
}

/** `loop` behind `parallel`, `data` behind `enter`, all that ends behind `end`. */
function secondWords(words: readonly string[], language: 'c' | 'fortran'): Choice[] {
  if (words.length === 0) return [];
  const beginning = `${words.join(' ')} `;
  const names = [...directives.keys(), ...(language === 'fortran' ? endDirectives.keys() : [])].filter((name) =>
    name.startsWith(beginning),
  );
  return names.map((name) => ({
    label: name.slice(beginning.length),
    kind: CompletionItemKind.Keyword,
    documentation: aboutDirective(name, language),
  }));
}

function settledName(words: readonly DirectiveWord[], language: 'c' | 'fortran'): DirectiveEntry | undefined {
  for (let count = Math.min(2, words.length); count > 0; count--) {
    const entry = directives.get(
      words
        .slice(0, count)
        .map((word) => (language === 'c' ? word.text : word.text.toLowerCase()))
        .join(' '),
    );
    if (entry) return entry;
  }
  return undefined;
}

function clauseChoices(
  entry: DirectiveEntry,
  words: readonly DirectiveWord[],
  whole: DirectiveText,
  writing: DirectiveWord | undefined,
): Choice[] {
  const clausesBefore = words.slice(entry.name.split(' ').length);
  const lastType = clausesBefore.findLastIndex((word) => clauseNamed(word) === 'device_type');
  // What stands once may stand again behind each device_type.
  const others = whole.words.slice(whole.nameWords).filter((word) => !writing || word.start !== writing.start);
  const boundary = lastType < 0 ? -Infinity : clausesBefore[lastType]!.start;
  const nextType =
    others.find((word) => word.start > (words[words.length - 1]?.start ?? 0) && clauseNamed(word) === 'device_type')
      ?.start ?? Infinity;
  const used = new Set(others.filter((word) => word.start > boundary && word.start < nextType).map(clauseNamed));
  const excluded = new Set(entry.exclusive.filter((row) => row.some((name) => used.has(name))).flat());
  if (entry.association === 'loop' && used.has('seq'))
    for (const level of ['gang', 'worker', 'vector']) excluded.add(level);
  if (entry.association === 'loop' && ['gang', 'worker', 'vector'].some((level) => used.has(level)))
    excluded.add('seq');
  return [...entry.clauses]
    .filter(
      ([name, often]) =>
        !vendorClauses.has(name) &&
        !(often === 'once' && used.has(name)) &&
        !excluded.has(name) &&
        (lastType < 0 || !entry.afterDeviceType || entry.afterDeviceType.has(name)),
    )
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([name]) => {
      const meaning = clauseMeaningsOn[`${entry.name} ${name}`] ?? clauseMeanings[name];
      const { parentheses } = formOf(entry.name, clauses.get(name)!);
      // Where the parentheses may be left out, they mostly are.
      const snippet = parentheses === 'required' ? (meaning?.snippet ?? `${name}($1)`) : undefined;
      return {
        label: name,
        kind: parentheses === 'none' ? CompletionItemKind.Keyword : CompletionItemKind.Function,
        ...(snippet && { snippet }),
        documentation: aboutClause(name, name, entry.name),
      };
    });
}

function argumentChoices(document: TextDocument, typed: DirectiveText, word: DirectiveWord, offset: number): Choice[] {
  const clause = clauseNamed(word);
  const entry = clauses.get(clause);
  const inside = document.getText().slice(word.open! + 1, offset);
  const directive = typed.name;
  const value = (label: string, snippet?: string): Choice => ({
    label,
    kind: CompletionItemKind.EnumMember,
    ...(wordMeanings[label] && { detail: wordMeanings[label] }),
    ...(snippet && { snippet }),
  });
  const variable = (label: string): Choice => ({ label, kind: CompletionItemKind.Variable });
  // Behind an index's opening bracket anything may stand.
  if ((inside.match(/[([]/g)?.length ?? 0) > (inside.match(/[)\]]/g)?.length ?? 0)) return [];
  const first = !/[,:]/.test(inside);
  const before = inside.split(',').slice(0, -1);
  const isBeforeItems =
    !inside.includes(':') && before.every((each) => modifiersOf(directive, clause).includes(each.trim().toLowerCase()));
  const modifiers = (): Choice[] =>
    modifiersOf(directive, clause)
      .filter((name) => !new RegExp(`\\b${name}\\s*[,:]`, 'i').test(inside))
      .map((name) => value(name, `${name}: $0`))
      .map((choice) => ({
        ...choice,
        label: `${choice.label}:`,
        ...(wordMeanings[choice.label] && { detail: wordMeanings[choice.label] }),
      }));
  switch (entry ? formOf(directive, entry).form : directives.get(clause)?.argumentForm) {
    case 'default':
      return first ? defaultKinds.map((each) => value(each)) : [];
    case 'device-types':
      return deviceTypes.map((each) => value(each));
    case 'reduction':
      return first
        ? Object.keys(reductionOperators[typed.language]).map((each) => ({
            ...value(each, `${each}:$0`),
            label: `${each}:`,
            ...(wordMeanings[each] && { detail: wordMeanings[each] }),
          }))
        : scalarsNear(document, typed).map(variable);
    case 'gang':
    case 'wait':
      return /(?:^|,)\s*\w*$/.test(inside) ? modifiers() : [];
    case 'expression':
    case 'count':
      return first ? modifiers() : [];
    case 'variables': {
      const names = ['private', 'firstprivate'].includes(clause)
        ? scalarsNear(document, typed)
        : arraysNear(document, typed);
      return [...names.map(variable), ...(isBeforeItems && directive !== 'declare' ? modifiers() : [])];
    }
    default:
      return [];
  }
}

/** How many lines below a directive are searched for names. */
const LINES_BELOW = 40;

function codeBelow(document: TextDocument, { end }: DirectiveText): string {
  const { line } = document.positionAt(end);
  return document.getText({
    start: { line: line + 1, character: 0 },
    end: { line: line + 1 + LINES_BELOW, character: 0 },
  });
}

/** Names that are indexed in the lines below, in order. */
function arraysNear(document: TextDocument, directive: DirectiveText): string[] {
  const below = codeBelow(document, directive);
  if (directive.language === 'c') return unique([...below.matchAll(/([A-Za-z_]\w*)\s*\[/g)].map((found) => found[1]!));
  // Fortran's calls look like elements: what a declaration above gives dimensions is an array.
  const { line } = document.positionAt(directive.start);
  const above = document
    .getText({ start: { line: Math.max(0, line - 400), character: 0 }, end: { line, character: 0 } })
    .toLowerCase();
  return unique([...below.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map((found) => found[1]!)).filter((name) =>
    new RegExp(`(?:::|dimension).*\\b${name.toLowerCase()}\\b`).test(above),
  );
}

/** Names without an index that are assigned in the lines below, in order. */
function scalarsNear(document: TextDocument, directive: DirectiveText): string[] {
  const below = codeBelow(document, directive);
  const found =
    directive.language === 'c'
      ? [...below.matchAll(/(?<![\w\].>])([A-Za-z_]\w*)\s*(?:[-+*/|&^]|<<|>>)?=(?!=)/g)]
      : [...below.matchAll(/^\s*([A-Za-z_]\w*)\s*=(?!=)/gm)];
  return unique(found.map((each) => each[1]!));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, 20);
}
function escaped(text: string): string {
  return text.replace(/[$}\\]/g, '\\$&');
}
