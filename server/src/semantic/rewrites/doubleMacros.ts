// A macro that is a double constant, and whose every use is one in float arithmetic: its definition is corrected
// instead of each use.
import type { TranslationUnit } from '../../syntax/ast';
import { lex } from '../../syntax/tokens';
import type { DoubleFact, Span } from '../model';

const oneLiteral = /^(\(?\s*-?\s*)((?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)(\s*\)?)$/;

/** `facts` are those of one file; a cast of the macro gives way to its definition there. */
export function correctDefinitions(facts: readonly DoubleFact[], unit: TranslationUnit): readonly DoubleFact[] {
  const uses = new Map<string, DoubleFact[]>();
  for (const fact of facts) if (fact.form === 'macro') uses.set(fact.text, [...(uses.get(fact.text) ?? []), fact]);
  const corrected = new Map<string, Correction>();
  for (const [name, all] of uses) {
    const correction = correctionOf(name, all, unit);
    if (correction) for (const { at } of all) corrected.set(`${at.start} ${at.end}`, correction);
  }
  if (corrected.size === 0) return facts;
  const at = ({ start, end }: Span): Correction | undefined => corrected.get(`${start} ${end}`);
  return facts.map((fact) => {
    const definition = fact.form === 'macro' ? at(fact.at) : undefined;
    const together = fact.together?.map((group) => {
      const edits = group.edits.map((edit) => at(edit.at)?.edit ?? edit);
      return { ...group, edits: [...new Set(edits)] };
    });
    return {
      ...fact,
      ...(definition ? { replacement: definition } : {}),
      ...(together ? { together } : {}),
    };
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
  if (place < 0 || /\/[/*]/.test(line.slice(0, place)) || countUses(name, unit) !== facts.length + 1) return undefined;
  const start = macro.start + place;
  return {
    text: `#define ${name} ${before}${digits}f${after}`,
    edit: { at: { uri: macro.uri, start, end: start + digits.length }, newText: `${digits}f` },
  };
}

/** Tokens of the name in all files of the unit, its definition among them. */
function countUses(name: string, unit: TranslationUnit): number {
  let count = 0;
  for (const { text } of unit.files) {
    if (!text.includes(name)) continue;
    for (const token of lex(text).tokens) if (token.text === name) count++;
  }
  return count;
}
