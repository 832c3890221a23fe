// Reports kernels under an unmet preprocessor condition, so that their lack of findings is not misread.
import type { Reason } from '../semantic/model';
import type { SourceFile, TranslationUnit } from '../syntax';

/** Reserved names are those of compilers, and theirs to define. */
const ofCompilers = /^_/;
/** Characters; what is longer asks for more than a name. */
const longestDirective = 200;
const condition =
  /^[ \t]*#[ \t]*(?:ifdef[ \t]+(\w+)|(?:el)?if[ \t]+(?:defined[ \t]*\(?[ \t]*)?(\w+)[ \t]*\)?)[ \t]*(?:\/[/*].*)?$/;

/** One sentence for each name that would bring kernels of a file to light, at the condition that asks for it first. */
export function notesOfInactiveKernels(uri: string, unit: TranslationUnit): readonly Reason[] {
  const file = unit.files.find((each) => each.uri === uri) ?? unit.main;
  const found = new Map<string, { readonly at: Reason['at']; kernels: number }>();
  for (const { start, end } of file.inactive) {
    const kernels = file.text.slice(start, end).match(/\b__global__\b/g)?.length ?? 0;
    const asked = kernels > 0 ? askedBefore(file, start) : undefined;
    if (!asked || ofCompilers.test(asked.name) || /^\d/.test(asked.name)) continue;
    const known = found.get(asked.name);
    if (known) known.kernels += kernels;
    else found.set(asked.name, { at: { uri: file.uri, start: asked.start, end: asked.end }, kernels });
  }
  return [...found].map(([name, { at, kernels }]) => {
    const [stand, them] = kernels === 1 ? ['A kernel is', 'it'] : [`${kernels} kernels are`, 'them'];
    const way = `define it (-D ${name}, or warplens.defines) to analyse ${them}`;
    return { at, text: `${stand} under ${name}, which is not defined: ${way}.` };
  });
}

/** The lone name that the directive above a place asks for. */
function askedBefore({ text }: SourceFile, place: number): { name: string; start: number; end: number } | undefined {
  const lineEnd = text.lastIndexOf('\n', place - 1);
  const start = text.lastIndexOf('\n', lineEnd - 1) + 1;
  const end = lineEnd > start && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  const match = end > start && end - start <= longestDirective ? condition.exec(text.slice(start, end)) : null;
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : { name, start, end };
}
