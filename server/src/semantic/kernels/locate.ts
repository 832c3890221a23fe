// Turns nodes of functions into spans and text of the files as they stand now.
import type { FunctionDecl, Node, SourceFile } from '../../syntax/ast';
import type { LoopRef, Span } from '../model';
import type { Program } from '../language/program';
import type { LoopSeen } from '../run/values';

/** Turns nodes into spans and text of the files as they stand now: a cached run may be older than the text before its function. */
export interface Locator {
  span(fn: FunctionDecl, node: Node): Span;
  text(fn: FunctionDecl, node: Node): string;
  file(fn: FunctionDecl): SourceFile | undefined;
  current(fn: FunctionDecl): FunctionDecl;
  /** Is a function with this key still there, unchanged? */
  knows(key: string): boolean;
}

export function createLocator(program: Program): Locator {
  const byKey = new Map<string, FunctionDecl>();
  const keys = new Set<string>();
  for (const fn of program.allFunctions()) {
    byKey.set(`${fn.uri}\n${fn.key}`, fn);
    keys.add(fn.key);
  }
  const files = new Map(program.unit.files.map((file) => [file.uri, file]));
  const current = (fn: FunctionDecl): FunctionDecl => byKey.get(`${fn.uri}\n${fn.key}`) ?? fn;
  return {
    current,
    knows: (key) => keys.has(key),
    file: (fn) => files.get(fn.uri),
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
    };
  });
}
