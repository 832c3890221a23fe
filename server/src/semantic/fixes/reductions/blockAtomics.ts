// Atomics of all threads of a block at one place, whose results are not used: the block combines its values in shared
// memory, and one thread makes one atomic of them.
import type { CallExpr, Expr, IfStmt, Stmt } from '../../../syntax/ast';
import { hasVaryingReturnBefore } from './surroundings';
import type { Edit, Refusal, RewriteFact } from '../../model';
import { type Fn, callAround, calleeName, statementsOf, isStatement, type AnySyntax, deepened } from '../../language';
import type { AccessFamily } from '../writing/family';
import { expressionMayVary } from '../variance';
import { meetsAtOne, typeBehind } from '../warpAtomics';
import { isBarrier, meets } from '../dividedGuard';
import { freshNamesOf, negated } from '../writing/edits';
import { refuser } from '../writing/refusals';
import { isPure } from '../../program';

const refused = refuser<'statement' | 'operation' | 'macros' | 'address' | 'reached'>('block-atomics');

export const blockAtomics: AccessFamily<'block-atomics'> = {
  id: 'block-atomics',
  on: 'access',
  to: ['atomic'],
  when: (seen) => meetsAtOne(seen) && seen.fact.places === 1 && seen.record.space === 'global',
  find: ({ fn, expr, elsewhere }) => blockAtomicOf(fn, expr!, elsewhere),
};

/** What changes nothing, of integers of 32 bits: the others are swapped in shared memory. */
const neutral: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  int: { Add: '0', Sub: '0', Or: '0', Xor: '0', And: '-1', Min: '0x7fffffff', Max: '(-0x7fffffff - 1)' },
  'unsigned int': { Add: '0', Sub: '0', Or: '0', Xor: '0', And: '0xffffffff', Min: '0xffffffff', Max: '0' },
};

/** The edits for the atomic that `access` is made by. */
export function blockAtomicOf(fn: Fn, access: Expr, elsewhere: boolean): RewriteFact | Refusal {
  const { decl, locals } = fn;
  const call = callAround(access, locals);
  const operation = call && /^atomic([A-Z][a-z]+)(_system)?$/.exec(calleeName(call) ?? '')?.[1];
  if (!call || !operation || call.args.length !== 2 || locals.parent(call)?.kind !== 'expr')
    return refused('statement', 'its old value is used');
  if (!decl.global || !decl.body) return refused('statement', 'it is in a function that the kernel calls');
  if (call.macro || call.args.some((arg) => arg.macro)) return refused('macros', 'the atomic comes from a macro');
  const address = call.args[0]!;
  const type = typeBehind(address, fn);
  const start = type?.kind === 'scalar' ? neutral[type.name]?.[operation] : undefined;
  if (type?.kind !== 'scalar' || start === undefined)
    return refused('operation', 'shared memory has no instruction for this operation and type');
  if (!isPure(address, fn) || expressionMayVary(address, fn))
    return refused('address', 'the address may differ between threads of a block');
  const region = regionOf(decl.body.body, call, fn);
  if ('why' in region) return region;

  const sum = freshNamesOf(fn)('ofBlock');
  const known = !elsewhere && fn.allShapesKnown !== false && fn.blockShapes.length > 0;
  const axes = ['x', 'y', 'z'].filter((_, at) => !known || fn.blockShapes.some((shape) => shape[at]! > 1));
  const isFirst = `${(axes.length ? axes : ['x']).map((axis) => `threadIdx.${axis}`).join(' + ')} == 0`;
  const name = calleeName(call)!;
  const [first, last] = [region.statements[0]!, region.statements.at(-1)!];
  const line = fn.newline + fn.indent(first.start);
  const before = [`__shared__ ${type.name} ${sum};`, `if (${isFirst}) ${sum} = ${start};`, '__syncthreads();', ''];
  const place = fn.text(address).trim();
  const after = ['', '__syncthreads();', `if (${isFirst} && ${sum} != ${start}) ${name}(${place}, ${sum});`];
  const added: Edit = {
    at: { ...fn.span(call), end: fn.span(address).end },
    newText: `atomic${operation === 'Sub' ? 'Add' : operation}(&${sum}`,
  };
  const guarded: Edit = region.guard
    ? { at: fn.span(region.guard), newText: `if (${negated(region.guard.cond, fn)}) {` }
    : added;
  const at = (offset: number): Edit['at'] => fn.span({ start: offset, end: offset });
  const above = at(fn.aboveComments(first.start));
  const opening = before.join(line);
  return {
    edits: [
      // Where the statement is the atomic itself, one edit makes both.
      ...(guarded.at.start === above.start
        ? [{ ...guarded, newText: opening + guarded.newText }]
        : [{ at: above, newText: opening }, guarded]),
      ...(guarded === added ? [] : [added]),
      ...(region.guard ? deepened(fn, { start: region.guard.end, end: last.end }) : []),
      { at: at(last.end), newText: (region.guard ? `${line}}` : '') + after.join(line) },
    ],
    title: `Combine in shared memory, then one ${name} per block`,
  };
}

interface Region {
  /** Side by side in the body of the kernel. */
  readonly statements: readonly Stmt[];
  /** The first of them, by which some threads leave. */
  readonly guard?: IfStmt;
}

/** Statements around the call that all threads come to and leave by their end, once. */
function regionOf(body: readonly Stmt[], call: CallExpr, fn: Fn): Region | Refusal {
  const place = body.findIndex((one) => fn.isInside(call, one));
  const has = (one: AnySyntax, kinds: RegExp): boolean =>
    fn.locals.nodes.some((node) => isStatement(node) && kinds.test(node.kind) && fn.isInside(node, one));
  if (place < 0 || body.some((one) => has(one, /^(goto|label|asm|opaque|try)$/)))
    return refused('reached', 'the kernel jumps, or contains code that is not read');
  const around = body[place]!;
  // Those that wait behind it for the block would be waited for within their warp.
  const areMet = (statements: readonly Stmt[]): boolean => statements.some((one) => meets(one, fn));
  const met = refused('reached', 'threads of a warp wait for each other on the way');
  if (!hasVaryingReturnBefore(around, fn))
    return has(around, /^return$/)
      ? refused('reached', 'threads return on the way')
      : areMet([around])
        ? met
        : { statements: [around] };
  const from = body.findIndex((one, index) => has(one, /^return$/) && hasVaryingReturnBefore(body[index + 1]!, fn));
  const [guard, ...rest] = body.slice(from);
  const left = guard?.kind === 'if' && !guard.else && !guard.init && !guard.constexpr && statementsOf(guard.then);
  if (guard?.kind !== 'if' || !left || left.length !== 1 || left[0]!.kind !== 'return' || guard.macro)
    return refused('reached', 'some threads have returned before it');
  if (rest.some((one) => has(one, /^return$/)) || rest.some((one) => meets(one, fn, isBarrier)))
    return refused('reached', 'some threads have returned before a barrier, or return on the way');
  return areMet(rest) ? met : { statements: [guard, ...rest], guard };
}
