// Reports kernels and directives under an unmet preprocessor condition, whose lack of findings would be misread.
import type { Reason } from '../semantic/model';
import type { SourceFile } from '../syntax';

/** Characters; what is longer asks for more than a name. */
const longestDirective = 200;
const condition = /^[ \t]*#[ \t]*(?:ifdef|(?:el)?if)\b[ \t]*(.*?)[ \t]*(?:\/[/*].*)?$/;
/** `X`, `defined(X)`, `X == 1`; beside it reserved names, which compilers define, and what asks for the contrary. */
const wanted = /^[ \t(]*(?:defined[ \t(]*)?([A-Za-z]\w*)[ \t)]*(?:==[ \t]*(\w+)[ \t)]*)?$/;
const granted = /^[ \t(]*(?:![ \t(]*(?:defined[ \t(]*)?\w+|(?:defined[ \t(]*)?_\w*)[ \t)]*$/;

const kinds = [
  { pattern: /\b__global__\b/g, one: 'A kernel', many: 'kernels' },
  {
    pattern: /^[ \t]*(?:[!c*]\$|#[ \t]*pragma[ \t]+)acc[ \t]/gim,
    one: 'An OpenACC directive',
    many: 'OpenACC directives',
  },
];

/** One sentence for each name that would bring kernels or directives to light, at the first that asks for it. */
export function notesOfInactive(file: Pick<SourceFile, 'uri' | 'text' | 'inactive'>): readonly Reason[] {
  return kinds.flatMap(({ pattern, one, many }) => {
    const found = new Map<string, { readonly at: Reason['at']; count: number }>();
    for (const { start, end } of file.inactive) {
      const count = file.text.slice(start, end).match(pattern)?.length ?? 0;
      const asked = count > 0 ? askedBefore(file, start) : undefined;
      if (!asked) continue;
      const known = found.get(asked.names);
      if (known) known.count += count;
      else found.set(asked.names, { at: { uri: file.uri, start: asked.start, end: asked.end }, count });
    }
    return [...found].map(([names, { at, count }]) => {
      const [stand, them] = count === 1 ? [`${one} is`, 'it'] : [`${count} ${many} are`, 'them'];
      const each = names.split(' ');
      const [are, all] = each.length === 1 ? ['is', 'it'] : ['are', 'them'];
      const flags = each.map((name) => `-D ${name}`).join(' ');
      const way = `define ${all} (${flags}, or warplens.defines) to analyse ${them}`;
      const under = each.map((name) => name.replace(/=.*/, '')).join(' and ');
      return { at, text: `${stand} under ${under}, which ${are} not defined: ${way}.` };
    });
  });
}

/** The names that the directive above a place asks for, with blanks between; of alternatives those of the first. */
function askedBefore(
  { text }: Pick<SourceFile, 'text'>,
  place: number,
): { names: string; start: number; end: number } | undefined {
  const lineEnd = text.lastIndexOf('\n', place - 1);
  const start = text.lastIndexOf('\n', lineEnd - 1) + 1;
  const end = lineEnd > start && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  const match = end > start && end - start <= longestDirective ? condition.exec(text.slice(start, end)) : null;
  const [first = ''] = match?.[1]?.split('||') ?? [];
  const parts = first.split('&&').filter((part) => !granted.test(part));
  const names = parts
    .map((part) => wanted.exec(part))
    .flatMap((one) => (one ? [one[1]! + (one[2] ? `=${one[2]}` : '')] : []));
  return names.length > 0 && names.length === parts.length ? { names: names.join(' '), start, end } : undefined;
}
