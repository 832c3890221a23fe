// Turns nodes of functions into spans and text of the files as they stand now.
import type { FunctionDecl, Node, SourceFile } from '../../syntax/ast';
import type { LoopRef, Span } from '../model';
import { once, type Program } from '../language';
import type { LoopSeen } from './values';

/** Spans and text of nodes in the files of now: a cached run may be older than what precedes its function. */
export function createLocator(program: Program) {
  const files = new Map(program.unit.files.map((file) => [file.uri, file]));
  const current: (fn: FunctionDecl) => FunctionDecl = once((fn) =>
    fn.enclosing
      ? { ...fn, base: current(fn.enclosing).base, enclosing: current(fn.enclosing) }
      : (program.withKey(fn.key).findLast(({ uri }) => uri === fn.uri) ?? fn),
  );
  return {
    current,
    /** Is a function with this key still there, unchanged? */
    knows: (key: string): boolean => program.withKey(key).length > 0,
    /** The functions with this key, in whatever file. */
    withKey: program.withKey,
    file: (fn: FunctionDecl): SourceFile | undefined => files.get(fn.uri),
    /** Where a variable outside of functions is declared now; `variable` may be of an older version. */
    global(uri: string, variable: Node & { readonly name?: string }): Span {
      const now = program.globals(variable.name ?? '').find((each) => program.uriOf(each) === uri);
      const { start, end } = now ?? variable;
      return { uri, start, end };
    },
    textAt: ({ uri, start, end }: Span): string => files.get(uri)?.text.slice(start, end) ?? '',
    span(fn: FunctionDecl, node: Node): Span {
      const base = current(fn).base;
      return { uri: fn.uri, start: base + node.start, end: base + node.end };
    },
    text(fn: FunctionDecl, node: Node): string {
      const base = current(fn).base;
      return files.get(fn.uri)?.text.slice(base + node.start, base + node.end) ?? '';
    },
  };
}

export type Locator = ReturnType<typeof createLocator>;

export function loopRefs(loops: readonly LoopSeen[], locate: Locator): LoopRef[] {
  return loops.map((loop) => {
    const text = locate.text(loop.fn, loop.stmt);
    const header = /^[^{\n]*/.exec(text)?.[0]?.trim() ?? '';
    return {
      at: locate.span(loop.fn, loop.stmt),
      text: header.slice(0, 100),
      ...(loop.variable ? { variable: loop.variable } : {}),
      ...(loop.trips === undefined ? {} : { trips: loop.trips }),
      ...(loop.first === undefined ? {} : { modelled: loop.first }),
    };
  });
}
