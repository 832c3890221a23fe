// A macro that is a double constant, and whose every use becomes a float: its definition is corrected instead of each
// use. One of the file that has other uses keeps its definition, and several uses of it are left as they are.
import type { TranslationUnit } from '../../syntax/ast';
import { lex, type Token } from '../../syntax/tokens';
import type { DoubleFact, Span } from '../model';

const oneLiteral = /^(\(?\s*-?\s*)((?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)(\s*\)?)$/;

/** `facts` are those of one file; casts of the macro give way to its definition there. */
export function correctDefinitions(facts: readonly DoubleFact[], unit: TranslationUnit): readonly DoubleFact[] {
  const uses = new Map<string, DoubleFact[]>();
  for (const fact of facts) if (fact.form === 'macro') uses.set(fact.text, [...(uses.get(fact.text) ?? []), fact]);
  /** By place; `casts` where a cast at each of several uses is all that there is. */
  const corrected = new Map<string, Correction | 'casts'>();
  for (const [name, all] of uses) {
    const isHere = unit.main.macros.some((macro) => macro.name === name && macro.start >= 0);
    const correction = correctionOf(name, all, unit) ?? (all.length > 1 && isHere ? 'casts' : undefined);
    if (correction) for (const { at } of all) corrected.set(`${at.start} ${at.end}`, correction);
  }
  if (corrected.size === 0) return facts;
  const at = ({ start, end }: Span): Correction | 'casts' | undefined => corrected.get(`${start} ${end}`);
  return facts.map(({ replacement, together, ...fact }) => {
    const definition = fact.form === 'macro' ? at(fact.at) : undefined;
    if (definition === 'casts') return fact;
    const groups = together?.flatMap((group) => {
      const places = group.edits.map((edit) => ({ edit, by: at(edit.at) }));
      if (places.some(({ by }) => by === 'casts')) return [];
      const edits = new Set(places.map(({ edit, by }) => (by && by !== 'casts' ? by.edit : edit)));
      return edits.size > 1 ? [{ ...group, edits: [...edits] }] : [];
    });
    const now = definition ?? replacement;
    return { ...fact, ...(now ? { replacement: now } : {}), ...(groups?.length ? { together: groups } : {}) };
  });
}

type Correction = NonNullable<DoubleFact['replacement']>;

function correctionOf(name: string, facts: readonly DoubleFact[], unit: TranslationUnit): Correction | undefined {
  const [first] = facts;
  const definitions = unit.files.flatMap(({ macros }) => macros.filter((macro) => macro.name === name));
  const [macro] = definitions;
  if (!first || !macro || definitions.length > 1 || macro.params || macro.uri !== unit.main.uri || macro.start < 0)
    return undefined;
  const isAlike = facts.every(
    ({ replacement, exact }) => replacement?.text === `(float)${name}` && exact === first.exact,
  );
  const [, before, digits, after] = oneLiteral.exec(macro.body.trim()) ?? [];
  if (!isAlike || digits === undefined || !/[.eE]/.test(digits)) return undefined;
  const file = unit.files.find(({ uri }) => uri === macro.uri);
  const line = file?.text.slice(macro.start).split(/\r?\n/, 1)[0] ?? '';
  const place = line.indexOf(digits, name.length);
  if (place < 0 || /\/[/*]/.test(line.slice(0, place)) || countOtherUses(name, unit) !== facts.length + 1)
    return undefined;
  const start = macro.start + place;
  return {
    text: `#define ${name} ${before}${digits}f${after}`,
    edit: { at: { uri: macro.uri, start, end: start + digits.length }, newText: `${digits}f` },
  };
}

/** Tokens of the name in all files of the unit, its definition among them, but none that gives a float its value. */
function countOtherUses(name: string, unit: TranslationUnit): number {
  let count = 0;
  for (const { text } of unit.files) {
    if (!text.includes(name)) continue;
    const { tokens } = lex(text);
    for (const [at, token] of tokens.entries()) if (token.text === name && !isFloatsValue(tokens, at)) count++;
  }
  return count;
}

/** `float x = -NAME;` */
function isFloatsValue(tokens: readonly Token[], at: number): boolean {
  const before = tokens.slice(Math.max(0, at - 4), at).map(({ text }) => text);
  if (before.at(-1) === '-') before.pop();
  return /^[;,]$/.test(tokens[at + 1]?.text ?? '') && before.at(-1) === '=' && before.at(-3) === 'float';
}
