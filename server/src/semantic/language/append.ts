// Lists by key, and answers that are computed once.
import type { FunctionDecl } from '../../syntax/ast';

export function append<K, T>(
  lists: { get(key: K): T[] | undefined; set(key: K, list: T[]): unknown },
  key: K,
  ...ones: readonly T[]
): void {
  const list = lists.get(key);
  if (list) list.push(...ones);
  else lists.set(key, [...ones]);
}

/** Computes what is asked of one thing a single time. */
export function once<C extends object, T>(find: (of: C) => T): (of: C) => T {
  const known = new WeakMap<C, { readonly found: T }>();
  return (of) => {
    let made = known.get(of);
    if (!made) known.set(of, (made = { found: find(of) }));
    return made.found;
  };
}

/** The same of a function, by its body, which its parts keep their places in: an edit changes one body of a file. */
export function oncePerBody<T>(find: (fn: FunctionDecl) => T): (fn: FunctionDecl) => T {
  const known = new WeakMap<object, { readonly found: T }>();
  return (fn) => {
    const key = fn.body ?? fn;
    let made = known.get(key);
    if (!made) known.set(key, (made = { found: find(fn) }));
    return made.found;
  };
}

/** `answer`, computed once for each function of a program. Calls that lead back to the function get `cyclic`. */
export function oncePerFunction<T, C extends { readonly program: object }>(
  answer: (fn: FunctionDecl, context: C) => T,
  cyclic: T,
): (fn: FunctionDecl, context: C) => T {
  const answersOf = once((_: object) => new Map<FunctionDecl, T>());
  return (fn, context) => {
    const answers = answersOf(context.program);
    if (!answers.has(fn)) {
      answers.set(fn, cyclic);
      answers.set(fn, answer(fn, context));
    }
    return answers.get(fn)!;
  };
}
