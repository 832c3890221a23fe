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

let forgotten = 0;
/** Lets go of all that was computed once: an analysis after that takes all of its steps. */
export function forgetAnswers(): void {
  forgotten++;
}

/** Computes what is asked of one thing a single time. */
export function once<C extends object, T>(find: (of: C) => T, keyOf: (of: C) => object = (of) => of): (of: C) => T {
  let [known, since] = [new WeakMap<object, { readonly found: T }>(), forgotten];
  return (of) => {
    if (since !== forgotten) [known, since] = [new WeakMap(), forgotten];
    const key = keyOf(of);
    let made = known.get(key);
    if (!made) known.set(key, (made = { found: find(of) }));
    return made.found;
  };
}

/** The same of one thing and what else it is asked with, by identity: that is held as long as the thing lives. */
export function onceWith<C extends object, A extends unknown[], T>(find: (of: C, ...more: A) => T): typeof find {
  const answersOf = once((_: C) => new Map<unknown, unknown>());
  return (of, ...more) => {
    let answers = answersOf(of);
    for (const each of more)
      answers = (answers.get(each) ?? answers.set(each, new Map()).get(each)) as Map<unknown, unknown>;
    if (!answers.has(find)) answers.set(find, find(of, ...more));
    return answers.get(find) as T;
  };
}

/** The same of a function, by its body, which its parts keep their places in: an edit changes one body of a file. */
export function oncePerBody<T>(find: (fn: FunctionDecl) => T): (fn: FunctionDecl) => T {
  return once(find, (fn) => fn.body ?? fn);
}

/** `answer`, computed once for each function of a program. Calls that lead back to the function get `cyclic`. */
export function oncePerFunction<T, C extends { readonly program: object }, F extends object = FunctionDecl>(
  answer: (fn: F, context: C) => T,
  cyclic: T,
): (fn: F, context: C) => T {
  const answersOf = once((_: object) => new Map<F, T>());
  return (fn, context) => {
    const answers = answersOf(context.program);
    if (!answers.has(fn)) {
      answers.set(fn, cyclic);
      answers.set(fn, answer(fn, context));
    }
    return answers.get(fn)!;
  };
}
