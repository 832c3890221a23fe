// One directive's text to the plain Directive: the grammar gives the form, the table the names.
import { type Language, Parser } from 'web-tree-sitter';
import type { Clause, ClauseArgument, ClauseItem, Directive, DirectiveProblem, Place } from '../procedures';
import { parseToRaw, type RawNode, vocabularyOf } from '../tree';
import { problemsOf } from './check';
import { withoutComments } from './lines';
import { nearestDirective } from './spelling';
import {
  aliases,
  type ArgumentForm,
  clauses as clauseTable,
  directives as directiveTable,
  endDirectives,
  formOf,
  reductionOperators,
  vendorClauses,
} from './table';
import { asVariable, readValue, rootName, type ValueReading } from './values';
import { balanced, type Part, partsOfText, partsOfTree, type RawArgument } from './parts';
import type { Parse } from './parts';

export interface DirectiveSource {
  readonly language: 'c' | 'fortran';
  readonly fixedForm?: boolean;
  /**
   * What the pragma says, `acc` first, where it does not stand so in the file: in `_Pragma`, or in a macro. Its parts
   * then have the whole's place.
   */
  readonly expanded?: string;
  /** Whether a word is a macro's name: what it stands for is not known here. */
  readonly isMacro?: (word: string) => boolean;
}

/**
 * Reads the directive at a place of a file's text: `#pragma acc …` from its `#`, `!$acc …` from its sentinel to the end
 * of its last line. Never throws.
 */
export type ReadDirective = (text: string, place: Place, source: DirectiveSource) => Directive;

/** Longer ones are hostile: their clauses are not read. */
const LENGTH_LIMIT = 20_000;

export function makeDirectiveReader(language: Language): ReadDirective {
  const parser = new Parser();
  parser.setLanguage(language);
  const vocabulary = vocabularyOf(language);
  const parse = (text: string): { root: RawNode; hasError: boolean } | undefined => {
    try {
      return parseToRaw(parser, vocabulary, text);
    } catch {
      parser.reset();
      return undefined;
    }
  };
  const kept = new Map<string, Kept>();
  return (text, place, source) => {
    try {
      if (source.expanded !== undefined || place.macro || place.end - place.start > LENGTH_LIMIT)
        return readDirective(parse, text, place, source);
      const { isMacro = () => false } = source;
      const key =
        `${source.language}${source.fixedForm ? columnOf(text, place.start) : ''} ` +
        `${text.slice(place.start, place.end)}`;
      const before = kept.get(key);
      if (before && [...before.asked].every(([word, answer]) => isMacro(word) === answer))
        return before.start === place.start ? before.directive : moved(before.directive, place.start - before.start);
      const asked = new Map<string, boolean>();
      const asking = (word: string): boolean => {
        const answer = isMacro(word);
        asked.set(word, answer);
        return answer;
      };
      const directive = readDirective(parse, text, place, { ...source, isMacro: asking });
      kept.set(key, { start: place.start, directive, asked });
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
      return directive;
    } catch {
      return nothingRead(place, source);
    }
  };
}

/**
 * A directive as it was read where it stood, and what was asked of macros. An edit leaves nearly all directives of a
 * file as they are, at other places.
 */
interface Kept {
  readonly start: number;
  readonly directive: Directive;
  readonly asked: ReadonlyMap<string, boolean>;
}
const MOST_KEPT = 2000;

/** A copy with every place moved. */
function moved<T>(value: T, by: number): T {
  if (Array.isArray(value)) return value.map((each) => moved(each, by)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value))
    copy[key] = key === 'start' || key === 'end' ? (each as number) + by : moved(each, by);
  return copy as T;
}

function nothingRead(place: Place, source: DirectiveSource): Directive {
  return {
    ...place,
    name: '',
    nameAt: place,
    known: false,
    clauses: [],
    language: source.language,
    problems: [],
    ...(source.fixedForm && { fixedForm: true }),
  };
}

function readDirective(parse: Parse, file: string, place: Place, source: DirectiveSource): Directive {
  const { language } = source;
  const fixedForm = source.fixedForm === true;
  let written = source.expanded === undefined ? file.slice(place.start, place.end) : `#pragma ${source.expanded}`;
  if (written.length > LENGTH_LIMIT) return nothingRead(place, source);
  if (fixedForm) written = withoutSequenceNumbers(written, columnOf(file, place.start));
  if (language === 'fortran' && written.includes('\n')) written = withoutComments(written);
  const macro = source.expanded !== undefined || place.macro === true;
  const placeOf = (start: number, end: number): Place =>
    macro
      ? { start: place.start, end: place.end, macro: true }
      : { start: place.start + start, end: place.start + end };

  const read = language === 'fortran' ? withNumbersApart(written) : written;
  const tree = parse(read);
  const { parts, strays } =
    tree && !tree.hasError ? partsOfTree(tree.root, written) : partsOfText(parse, read, language, fixedForm);
  const lower = (word: string): string => (language === 'fortran' ? word.toLowerCase() : word);

  const { name, words, known } = nameOf(parts, language);
  const nameParts = parts.slice(0, words);
  const sentinelEnd =
    tree?.root.children.find((child) => child.type === 'sentinel')?.end ??
    Math.min(written.length, language === 'c' ? 11 : 5);
  const nameAt =
    nameParts.length > 0
      ? placeOf(nameParts[0]!.start, nameParts[nameParts.length - 1]!.wordEnd)
      : placeOf(0, sentinelEnd);

  const reading = { text: read, written, language, placeOf };
  const ownForm = directiveTable.get(name)?.argumentForm ?? 'none';
  const lastNamePart = nameParts[nameParts.length - 1];
  const argument = lastNamePart && argumentOf(lastNamePart, ownForm, name, reading);
  const clauses: Clause[] = [];
  let deviceTypes: readonly string[] | undefined;
  for (const part of parts.slice(words)) {
    const spelling = lower(part.word);
    const clauseName = aliases.get(spelling) ?? spelling;
    const entry = clauseTable.get(clauseName);
    const clauseArgument = argumentOf(part, entry ? formOf(name, entry).form : 'variables', clauseName, reading);
    clauses.push({
      ...placeOf(part.start, part.end),
      name: clauseName,
      written: part.word,
      nameAt: placeOf(part.start, part.wordEnd),
      known: entry !== undefined || vendorClauses.has(clauseName),
      ...(clauseArgument && { argument: clauseArgument }),
      ...(deviceTypes && { deviceTypes }),
    });
    if (clauseName === 'device_type') deviceTypes = clauseArgument?.items.map((item) => item.text.toLowerCase()) ?? [];
  }
  const last = parts[parts.length - 1];
  const end = Math.max(last?.end ?? sentinelEnd, ...strays.map((stray) => stray.end));
  const directive = {
    ...placeOf(0, end),
    name,
    nameAt,
    known,
    clauses,
    language,
    ...(argument && { argument }),
    ...(fixedForm && { fixedForm: true }),
  };
  const problems: DirectiveProblem[] = problemsOf(directive, {
    parts,
    strays,
    nameWords: words,
    placeOf,
    textOf: (start, end_) => written.slice(start, end_),
    isMacro: source.isMacro ?? (() => false),
    macro,
  });
  return { ...directive, problems };
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/**
 * Fixed form ends at column 72. Where a word or parenthesis continues after it, the compiler allows longer lines.
 */
function withoutSequenceNumbers(text: string, firstColumn: number): string {
  if (!/[^\r\n]{73}/.test(' '.repeat(firstColumn) + text)) return text;
  let column = firstColumn;
  let cut = '';
  for (let at = 0; at < text.length; at++, column++) {
    const character = text[at]!;
    if (character === '\n') {
      cut += character;
      column = -1;
    } else cut += column >= 72 && character !== '\r' ? ' ' : character;
  }
  const wordGoesOn = text.split('\n').some((line, number) => {
    const columns = number === 0 ? 72 - firstColumn : 72;
    return /[\w(,:]/.test(line[columns - 1] ?? '') && /[\w(),:]/.test(line[columns] ?? '');
  });
  return wordGoesOn || !balanced(cut) ? text : cut;
}

/**
 * Behind a digit the first dot of `.eq.` reads as the number's: the operator in its other spelling, of the same length.
 */
function withNumbersApart(text: string): string {
  return /\d\.[a-z]/i.test(text)
    ? text.replace(/(?<=\d)\.(eq|ne|lt|le|gt|ge|and|or)\./gi, (dotted, name: string) =>
        ` ${symbols[name.toLowerCase()]}`.padEnd(dotted.length),
      )
    : text;
}
const symbols: Readonly<Record<string, string>> = {
  eq: '==',
  ne: '/=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  and: '&&',
  or: '||',
};

// ---- the directive's name and arguments -----------------------------------------------------------------------------

/** The longest beginning that is a directive's name; else as many words as the one that was probably meant has. */
function nameOf(
  parts: readonly Part[],
  language: 'c' | 'fortran',
): { readonly name: string; readonly words: number; readonly known: boolean } {
  const spelt: string[] = [];
  for (const part of parts.slice(0, 3)) {
    spelt.push(language === 'fortran' ? part.word.toLowerCase() : part.word);
    if (part.open !== undefined) break;
  }
  for (let words = spelt.length; words > 0; words--) {
    const name = spelt.slice(0, words).join(' ');
    if (directiveTable.has(name)) return { name, words, known: true };
    if (language === 'c') continue;
    if (endDirectives.has(name)) return { name, words, known: true };
    const apart = joinedNames.get(name.replace(/ /g, ''));
    if (apart) return { name: apart, words, known: true };
  }
  const words = nearestDirective(spelt, language)?.words ?? Math.min(1, spelt.length);
  return { name: spelt.slice(0, words).join(' ').toLowerCase(), words, known: false };
}

/** Fortran's names may be written without their blanks: `enddata`, `parallelloop`. */
const joinedNames: ReadonlyMap<string, string> = new Map(
  [...directiveTable.keys(), ...endDirectives.keys()]
    .filter((name) => name.includes(' '))
    .map((name) => [name.replace(/ /g, ''), name]),
);

function argumentOf(
  part: Part,
  form: ArgumentForm,
  clause: string,
  reading: ValueReading & { readonly written: string },
): ClauseArgument | undefined {
  if (part.open === undefined) return undefined;
  const { text, language, placeOf } = reading;
  const inside = part.close ?? part.end;
  const modifiers: { name: string; at: Place; item?: number }[] = [];
  const items: ClauseItem[] = [];
  let operator: string | undefined;
  const given = part.arguments ?? [];
  const wordOf = (node: RawNode): string => text.slice(node.start, node.end).toLowerCase();
  const known = clauseTable.get(clause)?.modifiers ?? [];
  const lastColon = given.findLastIndex((each) => (each.parts?.length ?? 0) > 1);
  given.forEach((argument, number) => {
    const { parts } = argument;
    if (!parts) {
      items.push(itemOf(argument));
      return;
    }
    // `always, readonly: a`: a list of modifiers before the colon.
    if (
      number < lastColon &&
      parts.length === 1 &&
      parts[0]!.type === 'word' &&
      given.slice(0, number + 1).every((each) => each.parts?.length === 1 && known.includes(wordOf(each.parts[0]!)))
    ) {
      modifiers.push({ name: wordOf(parts[0]!), at: placeOf(parts[0]!.start, parts[0]!.end) });
      return;
    }
    let left = parts;
    if (form === 'reduction' && number === 0 && left.length > 1) {
      operator = reductionOperators[language][wordOf(left[0]!)] ?? wordOf(left[0]!);
      left = left.slice(1);
    }
    left.forEach((each, at) => {
      // `devnum: 0 : queues: 1, 2`: values may be between the words.
      const isModifier =
        each.type === 'word' &&
        at < left.length - 1 &&
        (form !== 'wait' || known.includes(wordOf(each)) || modifiers.length === 0);
      if (isModifier) modifiers.push({ name: wordOf(each), at: placeOf(each.start, each.end), item: items.length });
      else items.push(itemOf({ start: each.start, end: each.end, parts: [each] }));
    });
    if (parts.length === 0) items.push(itemOf(argument));
  });

  function itemOf({ start, end, parts }: RawArgument): ClauseItem {
    const itemText = reading.written.slice(start, end);
    const raw = parts?.length === 1 && parts[0]!.type !== 'operator' ? readValue(parts[0]!, reading) : undefined;
    const value = raw && form === 'variables' ? asVariable(raw) : raw;
    const variable = value ? rootName(value) : undefined;
    return {
      ...placeOf(start, end),
      text: /[\r\n]/.test(itemText) ? bareItem(itemText, language) : itemText,
      ...(variable !== undefined && { variable }),
      ...(value && { value }),
    };
  }
  return {
    ...placeOf(part.open, part.close === undefined ? part.end : part.close + 1),
    inner: placeOf(part.open + 1, inside),
    modifiers,
    items,
    ...(operator !== undefined && { operator }),
  };
}

/** An item's text on one line. */
function bareItem(text: string, language: 'c' | 'fortran'): string {
  const joined =
    language === 'c'
      ? text.replace(/\\[ \t]*\r?\n/g, ' ')
      : text.replace(/&?[ \t]*(?:![^\r\n]*)?\r?\n[ \t]*[!cC*]\$acc&?/gi, ' ');
  return joined.replace(/\s+/g, ' ').trim();
}
