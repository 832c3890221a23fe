// What a sweep needs around it and its shuffles do not: a barrier before or after it, the variable of its stride.
import type { Stmt } from '../../../syntax/ast';
import { lex } from '../../../syntax/tokens';
import type { Edit } from '../../model';
import { type AnySyntax, calleeName, type Fn, isConditionLoop } from '../../language';
import { isPure } from '../../program';
import { deletionOf } from '../writing/edits';
import { isBlockBarrier } from './barriers';
import { rootOf, type SweptArray } from './places';
import { isOfFirstThread, isSwept, type CompleteSweep } from './surroundings';

interface Around {
  /** Threads read what others wrote before the sweep. */
  readonly needsBarrierBefore: boolean;
  /** Others than thread 0 read the total, or write to its array. */
  readonly needsBarrierAfter: boolean;
  /** Of statements before the sweep that nothing needs any longer. */
  readonly deletions: readonly Edit[];
}

/** `ownPlaces`: the elements, as text, that a thread reads first. */
export function aroundSweep(fn: Fn, sweeps: readonly CompleteSweep[], ownPlaces: readonly string[]): Around {
  const { statements, first, frame } = sweeps[0]!;
  const stride = strideDeclaration(fn, sweeps[0]!, ownPlaces);
  const strideEdits = stride ? [deletionOf(fn, stride)] : [];
  const isOnce =
    fn.decl.global &&
    [...fn.around(statements[first]!)].every((around) => around.kind !== 'switch' && !isConditionLoop(around)) &&
    !fn.locals.nodes.some(({ kind }) => kind === 'goto') &&
    sweeps.every((sweep) => sweep.run.arrays.every((array) => isPlainArray(array, sweep, fn)));
  if (!isOnce) return { needsBarrierBefore: true, needsBarrierAfter: true, deletions: strideEdits };
  const before = statements.slice(0, first).filter((stmt) => stmt !== stride);
  const last = before.at(-1);
  const barrier = last && isBlockBarrier(last, frame) ? before.pop() : undefined;
  // A comment that speaks of the barrier would speak of nothing.
  const between = barrier && fn.text({ start: before.at(-1)?.end ?? barrier.start, end: barrier.start });
  const isOwn = (between ?? '').trim() === '' && storesOwn(before, ownPlaces, fn);
  return {
    needsBarrierBefore: !isOwn,
    needsBarrierAfter: sweeps.some((sweep) => isReadByOthers(sweep, fn)),
    deletions: [...(isOwn && barrier ? [deletionOf(fn, barrier)] : []), ...strideEdits],
  };
}

/** A shared array of the kernel with a name for each element: outside the sweep no other name leads into it. */
function isPlainArray({ root }: SweptArray, sweep: CompleteSweep, { program, locals }: Fn): boolean {
  const { declaration, local } = root;
  // All dynamic shared memory of a block begins at one place.
  const isOnly = (): boolean =>
    locals.all.filter(({ variable }) => variable?.storage === 'extern').length === 1 &&
    locals.nodes.every(
      (node) =>
        node.kind !== 'call' || isSwept(node, sweep, locals) || program.functions(calleeName(node) ?? '').length === 0,
    );
  return (
    declaration?.space === 'shared' &&
    (declaration.storage !== 'extern' || isOnly()) &&
    declaration.type.kind === 'array' &&
    !!local &&
    local.uses.every((use) => {
      const parent = locals.parent(use);
      const element = parent && locals.parent(parent);
      const isElement = parent?.kind === 'index' && parent.base === use;
      return isSwept(use, sweep, locals) || (isElement && !(element?.kind === 'unary' && element.op === '&'));
    })
  );
}

/** Each thread wrote its own elements in the statements right before, and none of the others. */
function storesOwn(before: readonly Stmt[], ownPlaces: readonly string[], fn: Fn): boolean {
  const normal = (text: string): string => text.replace(/\s+/g, '');
  const missing = new Set(ownPlaces.map(normal));
  for (const stmt of [...before].reverse()) {
    if (missing.size === 0) return true;
    if (stmt.kind !== 'expr' || stmt.macro || stmt.expr.kind !== 'assign' || stmt.expr.op !== '=') return false;
    if (!missing.delete(normal(fn.text(stmt.expr.target)))) return false;
  }
  return missing.size === 0;
}

function isReadByOthers({ orders, run, frame }: CompleteSweep, fn: Fn): boolean {
  const keys = new Set(run.arrays.map(({ root }) => root.key));
  const isOfArray = (node: AnySyntax): boolean => node.kind === 'name' && keys.has(rootOf(node, frame)?.key ?? node);
  return fn.locals.nodes.slice(orders[1] + 1).some((node) => isOfArray(node) && !isOfFirstThread(node, frame));
}

/** The declaration before the sweep of a variable that the sweep alone uses, and what takes its place does not. */
function strideDeclaration(fn: Fn, sweep: CompleteSweep, ownPlaces: readonly string[]): Stmt | undefined {
  return sweep.statements.slice(0, sweep.first).find((stmt) => {
    if (stmt.kind !== 'decl' || stmt.macro || stmt.vars.length !== 1) return false;
    const [variable] = stmt.vars;
    const local = fn.locals.all.find((one) => one.variable === variable);
    if (variable?.space !== 'none' || !local || local.uses.length === 0) return false;
    if (ownPlaces.some((place) => lex(place).tokens.some(({ text }) => text === variable.name))) return false;
    const isPlain = !variable.init || isPure(variable.init, fn);
    return isPlain && local.uses.every((use) => isSwept(use, sweep, fn.locals));
  });
}
