// Turns nodes of functions into spans and text of the files as they stand now.
import type { FunctionDecl, Node, SourceFile } from '../../syntax/ast';
import type { LoopRef, Span } from '../model';
import type { Program } from '../language';
import type { LoopSeen } from './values';

/** Spans and text of nodes in the files of now: a cached run may be older than what precedes its function. */
export interface Locator {
  span(fn: FunctionDecl, node: Node): Span;
  text(fn: FunctionDecl, node: Node): string;
  textAt(span: Span): string;
  file(fn: FunctionDecl): SourceFile | undefined;
  /** Where a variable outside of functions is declared now; `variable` may be of an older version. */
  global(uri: string, variable: Node & { readonly name?: string }): Span;
  current(fn: FunctionDecl): FunctionDecl;
  /** Is a function with this key still there, unchanged? */
  knows(key: string): boolean;
  /** The functions with this key, in whatever file. */
  withKey(key: string): readonly FunctionDecl[];
}

export function createLocator(program: Program): Locator {
  const files = new Map(program.unit.files.map((file) => [file.uri, file]));
  const found = new Map<FunctionDecl, FunctionDecl>();
  const current = (fn: FunctionDecl): FunctionDecl => {
    let now = found.get(fn);
    if (!now) {
      const { enclosing } = fn;
      now = enclosing
        ? { ...fn, base: current(enclosing).base, enclosing: current(enclosing) }
        : (program.withKey(fn.key).findLast(({ uri }) => uri === fn.uri) ?? fn);
      found.set(fn, now);
    }
    return now;
  };
  return {
    current,
    knows: (key) => program.withKey(key).length > 0,
    withKey: program.withKey,
    file: (fn) => files.get(fn.uri),
    global(uri, variable) {
      const now = program.globals(variable.name ?? '').find((each) => program.uriOf(each) === uri);
      const { start, end } = now ?? variable;
      return { uri, start, end };
    },
    textAt: ({ uri, start, end }) => files.get(uri)?.text.slice(start, end) ?? '',
    span(fn, node) {
      const base = current(fn).base;
      return { uri: fn.uri, start: base + node.start, end: base + node.end };
    },
    text(fn, node) {
      const base = current(fn).base;
      return files.get(fn.uri)?.text.slice(base + node.start, base + node.end) ?? '';
    },
  };
}

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
