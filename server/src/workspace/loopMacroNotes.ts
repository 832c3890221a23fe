// Reports unknown macros that were taken for the grid-stride loops that their use suggests.
import type { Reason } from '../semantic/model';
import { walk } from '../semantic/language';
import type { FunctionDecl, Stmt, TranslationUnit } from '../syntax';

interface Use {
  readonly name: string;
  readonly variable: string;
  /** Relative to the function's base. */
  readonly start: number;
}
/** By body: an unchanged function is not walked again at each keystroke. */
const usesIn = new WeakMap<Stmt, readonly Use[]>();

function usesOf(fn: FunctionDecl & { readonly body: Stmt }, text: string): readonly Use[] {
  const known = usesIn.get(fn.body);
  if (known) return known;
  const uses: Use[] = [];
  walk(fn.body, (node) => {
    if (node.kind !== 'for') return;
    const start = fn.base + node.start;
    const match = /^(?!for\b)([A-Za-z_]\w*)\s*\(\s*([A-Za-z_]\w*)/.exec(text.slice(start, start + 200));
    if (match) uses.push({ name: match[1]!, variable: match[2]!, start: node.start });
  });
  usesIn.set(fn.body, uses);
  return uses;
}

/** One sentence for each such macro of a file, at its first use. */
export function notesOfLoopMacros(uri: string, unit: TranslationUnit): readonly Reason[] {
  const file = unit.files.find((each) => each.uri === uri) ?? unit.main;
  const notes = new Map<string, Reason>();
  for (const fn of file.functions) {
    const { body } = fn;
    if (!body || !(fn.device || fn.global)) continue;
    for (const { name, variable, start } of usesOf({ ...fn, body }, file.text)) {
      // A loop from a known definition reads the same in the text.
      if (notes.has(name) || unit.files.some((each) => each.macros.some((macro) => macro.name === name))) continue;
      const at = fn.base + start;
      notes.set(name, {
        at: { uri: file.uri, start: at, end: at + name.length },
        text:
          `${name} is not defined here. Assuming a loop over the grid, with \`${variable}\` as the ` +
          'global thread index.',
      });
    }
  }
  return [...notes.values()];
}
