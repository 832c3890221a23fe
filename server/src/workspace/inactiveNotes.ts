// Reports kernels and directives under an unmet preprocessor condition, whose lack of findings would be misread.
import type { Reason } from '../semantic/model';
import type { SourceFile } from '../syntax';

/** Reserved names are those of compilers, and theirs to define. */
const ofCompilers = /^_/;
/** Characters; what is longer asks for more than a name. */
const longestDirective = 200;
const condition =
  /^[ \t]*#[ \t]*(?:ifdef[ \t]+(\w+)|(?:el)?if[ \t]+(?:defined[ \t]*\(?[ \t]*)?(\w+)[ \t]*\)?)[ \t]*(?:\/[/*].*)?$/;

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
      if (!asked || ofCompilers.test(asked.name) || /^\d/.test(asked.name)) continue;
      const known = found.get(asked.name);
      if (known) known.count += count;
      else found.set(asked.name, { at: { uri: file.uri, start: asked.start, end: asked.end }, count });
    }
    return [...found].map(([name, { at, count }]) => {
      const [stand, them] = count === 1 ? [`${one} is`, 'it'] : [`${count} ${many} are`, 'them'];
      const way = `define it (-D ${name}, or warplens.defines) to analyse ${them}`;
      return { at, text: `${stand} under ${name}, which is not defined: ${way}.` };
    });
  });
}

/** The lone name that the directive above a place asks for. */
function askedBefore(
  { text }: Pick<SourceFile, 'text'>,
  place: number,
): { name: string; start: number; end: number } | undefined {
  const lineEnd = text.lastIndexOf('\n', place - 1);
  const start = text.lastIndexOf('\n', lineEnd - 1) + 1;
  const end = lineEnd > start && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  const match = end > start && end - start <= longestDirective ? condition.exec(text.slice(start, end)) : null;
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : { name, start, end };
}
