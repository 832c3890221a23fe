// Flags of a build's command lines that nvcc needs to make the same machine code of a file.

const values = 'ftz|prec-div|prec-sqrt|fmad|maxrregcount|default-stream|relocatable-device-code|rdc';
const alone = new RegExp(
  `^--?(use_fast_math|(expt-)?extended-lambda|expt-relaxed-constexpr|(${values})=\\S+|std=c\\+\\+\\d\\w)$`,
);
const withValue = new RegExp(`^--?(${values}|std)$`);

/** Each once, as nvcc wants it; of several values the last. */
export function codeFlagsOf(words: readonly string[]): string[] {
  const flags = new Map<string, string>();
  words.forEach((word, at) => {
    const [whole] = alone.exec(word) ?? [];
    const value = words[at + 1];
    const flag =
      whole ?? (withValue.test(word) && value !== undefined && /^[\w+]+$/.test(value) ? `${word}=${value}` : undefined);
    if (flag !== undefined) flags.set(flag.replace(/=.*/, '').replace(/^--?/, ''), flag);
  });
  return [...flags.values()];
}
