// Atomics of all threads of a block at one place, whose results are not used: the block combines its values in shared
// memory, and one thread makes one atomic of them.
import type { CallExpr, Expr, IfStmt, Node, Stmt } from '../../syntax/ast';
import { hasVaryingReturnBefore } from './surroundings';
import type { Edit, Refusal, RewriteFact } from '../model';
import {
  lastPart,
  functionsWith,
  indentAt,
  newlineOf,
  spanOf,
  textOf,
  aboveComments,
  type FunctionContext,
  callAround,
  calleeName,
  isInside,
  localsOf,
  statementsOf,
  type Locals,
  isStatement,
  some,
  type AnySyntax,
  meetsThreads,
  createFrame,
  deepened,
} from '../language';
import { type AccessFamily, meetsAtOne } from '../rewrites';
import { meets, freshNamesOf, negated, refuser, arrayIn, isEven, typeBehind } from '../rewrites';
import { isAggregate, isKnownCall, isPure } from '../program';

const refused = refuser<'statement' | 'operation' | 'macros' | 'address' | 'alone' | 'reached'>('block-atomics');

export const blockAtomics: AccessFamily<'block-atomics'> = {
  id: 'block-atomics',
  on: 'access',
  to: ['atomic'],
  when: (seen) => meetsAtOne(seen) && seen.fact.places === 1 && seen.record.space === 'global',
  find: ({ context, expr, elsewhere }) => blockAtomicOf(context, expr!, elsewhere),
};

/** What changes nothing, of integers of 32 bits: the others are swapped in shared memory. */
const neutral: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  int: { Add: '0', Sub: '0', Or: '0', Xor: '0', And: '-1', Min: '0x7fffffff', Max: '(-0x7fffffff - 1)' },
  'unsigned int': { Add: '0', Sub: '0', Or: '0', Xor: '0', And: '0xffffffff', Min: '0xffffffff', Max: '0' },
};

/** The edits for the atomic that `access` is made by. */
export function blockAtomicOf(context: FunctionContext, access: Expr, elsewhere: boolean): RewriteFact | Refusal {
  const { fn } = context;
  const locals = localsOf(fn);
  const call = callAround(access, locals);
  const operation = call && /^atomic([A-Z][a-z]+)(_system)?$/.exec(calleeName(call) ?? '')?.[1];
  if (!call || !operation || call.args.length !== 2 || locals.parent(call)?.kind !== 'expr')
    return refused('statement', 'its old value is used');
  if (!fn.global || !fn.body) return refused('statement', 'it is in a function that the kernel calls');
  if (call.macro || call.args.some((arg) => arg.macro)) return refused('macros', 'the atomic comes from a macro');
  const address = call.args[0]!;
  const type = typeBehind(address, context);
  const start = type?.kind === 'scalar' ? neutral[type.name]?.[operation] : undefined;
  if (type?.kind !== 'scalar' || start === undefined)
    return refused('operation', 'shared memory has no instruction for this operation and type');
  const frame = createFrame(context, context.blockShapes[0] ?? [32, 1, 1]);
  if (!isPure(address, context) || !isEven(address, frame))
    return refused('address', 'the address may differ between threads of a block');
  if (!isOnlyAdded(address, call, context))
    return refused('alone', 'the kernel also uses the array in another way, or under another name');
  const region = regionOf(fn.body.body, call, context);
  if ('why' in region) return region;
  if (!isKept(address, region.statements, locals))
    return refused('address', 'a variable of the address is declared or changed later');

  const sum = freshNamesOf(context)('ofBlock');
  const known = !elsewhere && context.allShapesKnown !== false && context.blockShapes.length > 0;
  const axes = ['x', 'y', 'z'].filter((_, at) => !known || context.blockShapes.some((shape) => shape[at]! > 1));
  const isFirst = `${(axes.length ? axes : ['x']).map((axis) => `threadIdx.${axis}`).join(' + ')} == 0`;
  const name = calleeName(call)!;
  const [first, last] = [region.statements[0]!, region.statements.at(-1)!];
  const line = newlineOf(context) + indentAt(context, first.start);
  const before = [`__shared__ ${type.name} ${sum};`, `if (${isFirst}) ${sum} = ${start};`, '__syncthreads();', ''];
  const place = textOf(context, address).trim();
  const after = ['', '__syncthreads();', `if (${isFirst} && ${sum} != ${start}) ${name}(${place}, ${sum});`];
  const added: Edit = {
    at: { ...spanOf(context, call), end: spanOf(context, address).end },
    newText: `atomic${operation === 'Sub' ? 'Add' : operation}(&${sum}`,
  };
  const own: Edit = region.guard
    ? { at: spanOf(context, region.guard), newText: `if (${negated(region.guard.cond, context)}) {` }
    : added;
  const above = at(context, aboveComments(context, first.start));
  const opening = before.join(line);
  return {
    edits: [
      // Where the statement is the atomic itself, one edit makes both.
      ...(own.at.start === above.start
        ? [{ ...own, newText: opening + own.newText }]
        : [{ at: above, newText: opening }, own]),
      ...(own === added ? [] : [added]),
      ...(region.guard ? deepened(context, { start: region.guard.end, end: last.end }) : []),
      { at: at(context, last.end), newText: (region.guard ? `${line}}` : '') + after.join(line) },
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
function regionOf(body: readonly Stmt[], call: CallExpr, context: FunctionContext): Region | Refusal {
  const frame = createFrame(context, context.blockShapes[0] ?? [32, 1, 1]);
  const place = body.findIndex((one) => isInside(call, one, context.locals));
  const has = (one: AnySyntax, kinds: RegExp): boolean =>
    context.locals.nodes.some(
      (node) => isStatement(node) && kinds.test(node.kind) && isInside(node, one, context.locals),
    );
  if (place < 0 || body.some((one) => has(one, /^(goto|label|asm|opaque|try)$/)))
    return refused('reached', 'the kernel jumps, or contains code that is not read');
  const around = body[place]!;
  // Those that wait behind it for the block would be waited for within their warp.
  const areMet = (statements: readonly Stmt[]): boolean => statements.some((one) => hasMeeting(one, context));
  const met = refused('reached', 'threads of a warp wait for each other on the way');
  if (!hasVaryingReturnBefore(around, frame))
    return has(around, /^return$/)
      ? refused('reached', 'threads return on the way')
      : areMet([around])
        ? met
        : { statements: [around] };
  const from = body.findIndex((one, index) => has(one, /^return$/) && hasVaryingReturnBefore(body[index + 1]!, frame));
  const [guard, ...rest] = body.slice(from);
  const left = guard?.kind === 'if' && !guard.else && !guard.init && !guard.constexpr && statementsOf(guard.then);
  if (guard?.kind !== 'if' || !left || left.length !== 1 || left[0]!.kind !== 'return' || guard.macro)
    return refused('reached', 'some threads have returned before it');
  if (rest.some((one) => has(one, /^return$/)) || rest.some((one) => meets(one, context)))
    return refused('reached', 'some threads have returned before a barrier, or return on the way');
  return areMet(rest) ? met : { statements: [guard, ...rest], guard };
}

/** May a thread exchange values with others or wait for them in it, or in what it calls? */
function hasMeeting(node: AnySyntax, context: FunctionContext, asked = new Set<AnySyntax>()): boolean {
  return some(node, (inner) => {
    if (inner.kind !== 'call') return inner.kind === 'asm' || inner.kind === 'opaque';
    const { callee } = inner;
    const name = calleeName(inner) ?? (callee.kind === 'member' ? callee.field : undefined);
    if (name !== undefined && meetsThreads(name)) return true;
    const bodies = context.program.functions(name ?? '').flatMap(({ body }) => body ?? []);
    if (bodies.length === 0) return !isKnownCall(inner, context) && !isAggregate(inner, context);
    return bodies.some((body) => !asked.has(body) && hasMeeting(body, context, asked.add(body)));
  });
}

function at({ file, fn }: FunctionContext, offset: Node['start']): Edit['at'] {
  return { uri: file.uri, start: fn.base + offset, end: fn.base + offset };
}

/** Is each use of the array in the kernel, and in what it calls, an atomic of this name without a result? */
function isOnlyAdded(address: Expr, call: CallExpr, context: FunctionContext): boolean {
  const array = arrayIn(address);
  const name = array.kind === 'name' ? array.name : undefined;
  const own = array.kind === 'name' ? context.locals.of(array) : undefined;
  if (name === undefined || (own && (!own.parameter || own.writes.length > 0 || own.addressTaken))) return false;
  const isAdded = (node: AnySyntax): boolean => {
    const by = callAround(node, context.locals);
    const isSame = by && calleeName(by) === calleeName(call) && context.locals.parent(by)?.kind === 'expr';
    return !!isSame && isInside(node, by.args[0]!, context.locals);
  };
  if (!context.locals.nodes.every((node) => node.kind !== 'name' || node.name !== name || isAdded(node))) return false;
  if (own) return true;
  const others = functionsWith(context.unit, [lastPart(name)]).filter((other) => other.device && !other.global);
  return others.flatMap((other) => localsOf(other).nodes).every((node) => node.kind !== 'name' || node.name !== name);
}

/** Do the variables of an address keep their values from before the statements until after them? */
function isKept(address: Expr, statements: readonly Stmt[], locals: Locals): boolean {
  const begin = locals.order(statements[0]!);
  return !some(address, (node) => {
    const local = node.kind === 'name' ? locals.of(node) : undefined;
    if (!local) return false;
    const isInner = local.variable && locals.order(local.variable) >= begin;
    return isInner || local.addressTaken || local.writes.some((write) => locals.order(write.node) >= begin);
  });
}
