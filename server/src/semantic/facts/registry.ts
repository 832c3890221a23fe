// The kinds of facts by where they are found, and what follows from their list.
import { type AccFactKinds, noAccFacts } from '../acc';
import type { FactKind, Model } from '../model';
import type { FileKind, FunctionKind, RunKind } from './kinds';
import * as list from './list';

declare module '../model' {
  /** Those of directives register in `acc`, which finds them in procedures of either language. */
  interface Facts extends AccFactKinds {}
}

type Listed = (typeof list)[keyof typeof list];

const kinds: readonly Listed[] = Object.values(list);
/** Which kind it is does not matter to the loops over them. */
const those = <T>(where: Listed['from']): readonly T[] => kinds.filter(({ from }) => from === where) as unknown as T[];
export const functionKinds = those<FunctionKind<FactKind>>('function');
export const runKinds = those<RunKind<FactKind>>('run');
export const fileKinds = those<FileKind<FactKind>>('file');

const { notes: _notes, ...directives } = noAccFacts;

/** The facts of a file that has none. A kind that declares itself and is not listed fails to typecheck here. */
export const noFacts: Model['facts'] = {
  ...directives,
  ...(Object.fromEntries(kinds.map(({ kind }) => [kind, []])) as unknown as { readonly [K in Listed['kind']]: [] }),
};
