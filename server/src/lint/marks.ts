// What comments say of the time of functions: `// warplens: hot`, `// warplens: cold`.
import type { Said } from '../cost/grade';
import { spanIndex } from '../cost/spanIndex';
import type { Rank } from '../cost/traffic';
import type { FactKind, Facts, Mark, Model, Span } from '../semantic/model';

export type Marked = Readonly<Record<Said, number>>;
export interface Marks {
  /** Of the innermost marked function or construct around a fact, or of all kernels that it is about. */
  saidOf(fact: Facts[FactKind]): Said | undefined;
  readonly count: Marked;
}

export function isSaid(word: string): word is Said {
  return word === 'hot' || word === 'cold';
}

export function readMarks({ uri, marks = [] }: Model, rank: Rank): Marks {
  /** Of several above one definition the last counts. */
  const byPlace = new Map<string, Mark & { readonly word: Said; readonly of: Span }>();
  for (const { word, of, ...rest } of marks)
    if (of && isSaid(word)) byPlace.set(`${of.uri} ${of.start} ${of.end}`, { ...rest, word, of });
  const known = [...byPlace.values()].sort((a, b) => a.of.end - a.of.start - (b.of.end - b.of.start));
  const marked = spanIndex(known, ({ of }) => of);
  const around = (at: Span): Said | undefined => marked(at)[0]?.word;
  const named = (name: string): readonly (Said | undefined)[] => {
    const here = rank.kernels.filter((kernel) => kernel.name === name && kernel.at);
    if (here.length > 0) return here.map(({ at }) => around(at!));
    const elsewhere = known.filter((mark) => mark.name === name).map(({ word }) => word);
    return elsewhere.length > 0 ? elsewhere : [undefined];
  };
  const isHere = (word: Said): number => known.filter((mark) => mark.word === word && mark.of.uri === uri).length;
  return {
    count: { hot: isHere('hot'), cold: isHere('cold') },
    saidOf(fact) {
      if (known.length === 0) return undefined;
      const own = (fact.kind === 'launch' && fact.kernelAt && around(fact.kernelAt)) || around(fact.at);
      if (own || !('kernels' in fact) || rank.around(fact.at).length > 0) return own || undefined;
      const words = fact.kernels.flatMap(named);
      if (words.includes('hot')) return 'hot';
      return words.length > 0 && words.every((word) => word === 'cold') ? 'cold' : undefined;
    },
  };
}
