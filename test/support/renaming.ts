// Renames what a text of C, C++ or CUDA declares, at random and to names of the same length, so that all places stay.
// Words of comments that are no directive of ours go, too.

const declared =
  /\b(?:void|float|double|int|long|short|char|bool|unsigned|size_t|auto|const|float[234]|int[234]|struct|class|using|typename|define)\b(?:\s|\*|&|\b__restrict__\b|\brestrict\b|\bconst\b)+([A-Za-z_]\w*)/g;
const parts = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[ \t]*(?:include|pragma)[^\n]*|[A-Za-z_]\w*/gm;
const ours = /warplens|@generated/;
const letters = 'bcdfghjklmnpqrstvwxz';

/** Numbers from 0 to 1 by seed. */
function draws(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Renamed {
  readonly text: string;
  /** New names by old. */
  readonly names: ReadonlyMap<string, string>;
  /** A text with the old names. */
  back(text: string): string;
}

/** `keep` says which names have a meaning that the text does not give them. */
export function renamed(text: string, seed: number, keep: (name: string) => boolean): Renamed {
  const draw = draws(seed);
  const written = new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
  const fixed = new Set<string>();
  // Members belong to types that the text may not hold, and directives have their own words.
  for (const [, member] of text.matchAll(/(?:\.|->|::)\s*([A-Za-z_]\w*)/g)) fixed.add(member!);
  for (const [line] of text.matchAll(/^[ \t]*#[ \t]*(?:include|pragma|if|ifdef|ifndef|elif|undef)[^\n]*/gm))
    for (const word of line.match(/[A-Za-z_]\w*/g) ?? []) fixed.add(word);
  const word = (length: number): string =>
    Array.from({ length }, () => letters[Math.floor(draw() * letters.length)]!).join('');
  const names = new Map<string, string>();
  const taken = new Set(written);
  for (const [, name] of text.matchAll(declared)) {
    if (name === undefined || names.has(name) || fixed.has(name) || name.length < 2 || keep(name)) continue;
    for (let tries = 0; tries < 50; tries++) {
      const other = word(name.length);
      if (taken.has(other)) continue;
      taken.add(other);
      names.set(name, other);
      break;
    }
  }
  const old = new Map([...names].map(([name, other]) => [other, name]));
  return {
    names,
    text: text.replace(parts, (part) => {
      if (part.startsWith('"') || /^[ \t]*#/.test(part)) return part;
      if (part.startsWith('/'))
        return ours.test(part) ? part : part.replace(/[A-Za-z]+/g, ({ length }) => word(length));
      return names.get(part) ?? part;
    }),
    back: (other) => other.replace(/[A-Za-z_]\w*/g, (part) => old.get(part) ?? part),
  };
}
