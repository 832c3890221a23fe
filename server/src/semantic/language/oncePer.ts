// Answers that are computed once for each subject and kept as long as the subject lives.
import type { FunctionDecl } from '../../syntax/ast';
import type { Program } from './program';

/** `answer`, computed once for each subject. It may depend on nothing but the subject. */
export function oncePer<S extends object, A>(answer: (subject: S) => A): (subject: S) => A {
  const known = new WeakMap<S, { readonly answer: A }>();
  return (subject) => {
    let kept = known.get(subject);
    if (!kept) known.set(subject, (kept = { answer: answer(subject) }));
    return kept.answer;
  };
}

/** `answer`, computed once for each function of a program. Calls that lead back to themselves get `cyclic`. */
export function oncePerFunction<A, C extends { readonly program: Program }>(
  answer: (fn: FunctionDecl, context: C) => A,
  cyclic: A,
): (fn: FunctionDecl, context: C) => A {
  const answersOf = oncePer((_: Program) => new Map<FunctionDecl, A>());
  return (fn, context) => {
    const answers = answersOf(context.program);
    if (!answers.has(fn)) {
      answers.set(fn, cyclic);
      answers.set(fn, answer(fn, context));
    }
    return answers.get(fn)!;
  };
}
