// Arrays of a thread that nvcc keeps in local memory, as an index in them is not known when it compiles.
import type { Expr, NameExpr } from '../../syntax/ast';
import { append, dependsOnThread, type Fn, innermost, type Local, sizeOf, type Type } from '../language';
import { calleesOf, knowledgeOf, reachedFrom, staysLoop } from '../flow';
import type { Span } from '../model';
import { contains } from '../span';
import type { FunctionKind, Keys } from './kinds';

export interface LocalArrayFact {
  readonly kind: 'local-array';
  readonly at: Span; // an access whose index is not known, or the call that leads to it
  readonly accessAt?: Span; // of a call
  readonly array: string;
  readonly index: string;
  /** The loop that counts the index and is not unrolled; data or arguments decide the index where it is left out. */
  readonly loopAt?: Span;
  readonly declaredAt: Span;
  readonly bytes: number;
  readonly elementBytes: number;
  /** Lanes that are `apart` may be at different elements. */
  readonly accesses: readonly Element[];
  readonly kernels: readonly string[];
}
interface Element {
  readonly at: Span;
  readonly loads: boolean;
  readonly apart: boolean;
}
declare module '../model' {
  interface Facts {
    'local-array': LocalArrayFact;
  }
}
/** Seen with nvcc 13.0 for sm_90: few elements of four bytes become registers that comparisons select. */
const [selected, fewest, word] = [64, 8, 4];
/** An array is followed into so many calls. */
const mostCalls = 3;

export const localArrays: FunctionKind<'local-array'> = { kind: 'local-array', from: 'function', find, keys };

/** What callers pass decides which indices are known, and callees get at arrays that they are passed. */
function keys(fn: Fn): Keys | undefined {
  if (fn.kernels.length === 0 || variablesOf(fn).length === 0) return undefined;
  const callers = (fn.callSites ?? []).map(({ caller }) => caller);
  return { functions: [...reachedFrom(fn.decl, fn.program), ...callers], texts: [] };
}

/** Arrays of the thread, and objects with an array in them. */
function variablesOf(fn: Fn): { readonly local: Local; readonly type: Type }[] {
  return fn.locals.all.flatMap((local) => {
    const { variable } = local;
    if (variable?.space !== 'none' || variable.storage) return [];
    const type = fn.types.resolve(variable.type, undefined, fn.decl.qualifiedName);
    const holds = type.kind === 'struct' && [...type.fields.values()].some((field) => field.type.kind === 'array');
    return holds || type.kind === 'array' ? [{ local, type }] : [];
  });
}

function* find(fn: Fn): Iterable<LocalArrayFact> {
  for (const { local, type: whole } of variablesOf(fn)) {
    const parts = new Map<string, Access[]>();
    for (const use of local.uses)
      for (const access of accessesOf(use, fn, { part: '', type: whole, loops: [] }))
        append(parts, local.name + access.part, access);
    for (const [array, all] of parts) {
      const { type } = all[0]!;
      const element = innermost(type);
      const [bytes, elementBytes] = [sizeOf(type), sizeOf(element)];
      if (!bytes || !elementBytes) continue;
      // A loop that fills the array again carries none of it on.
      const again = all.filter(({ cause, loads }) => !cause && !loads);
      const found = all.find(({ cause, loads, loops }) => {
        const inLoop = loops.some((loop) => !again.some(({ at }) => contains(loop, at)));
        if (!cause || (elementBytes !== word && element.kind !== 'struct')) return cause;
        return bytes >= selected * word ? loads || inLoop : cause === 'value' && bytes >= fewest * word && inLoop;
      });
      if (!found) continue;
      const init = type === whole ? local.variable!.init : undefined;
      const filled = init?.kind === 'initList' ? init.elements : [];
      const fills = filled.map((node) => ({ at: fn.span(node), loads: false, apart: false }));
      yield {
        kind: 'local-array',
        ...(found.callAt ? { at: found.callAt, accessAt: found.at } : { at: found.at }),
        array,
        index: found.index,
        ...(found.loopAt && { loopAt: found.loopAt }),
        declaredAt: fn.span(local.variable!),
        ...{ bytes, elementBytes, kernels: fn.kernels },
        accesses: [...fills, ...all.map(({ at, loads, apart }) => ({ at, loads, apart }))],
      };
    }
  }
}

/** What a name leads to: a variable of the thread, or what a parameter or a field stands for in a call. */
interface Place {
  readonly part: string; // the fields that lead from the variable to it
  readonly type: Type;
  readonly callAt?: Span; // the outermost call
  readonly loops: readonly Span[]; // around it, that the compiler keeps
}
interface Access extends Element, Place {
  readonly index: string;
  readonly cause: 'value' | 'loop' | undefined;
  readonly loopAt: Span | undefined;
}

/** The elements of arrays that a name is part of, those in callees as well; none where all of an array is meant. */
function* accessesOf(use: NameExpr, fn: Fn, place: Place, left = mostCalls): Iterable<Access> {
  let { part, type } = place;
  let node: Expr = use;
  let here = type;
  let index: Expr | undefined;
  let cause: ReturnType<typeof knowledgeOf>['cause'];
  for (let parent = fn.parent(node); parent; parent = fn.parent(node)) {
    const field = parent.kind === 'member' && here.kind === 'struct' ? here.fields.get(parent.field) : undefined;
    if (parent.kind === 'index' && parent.base === node && here.kind === 'array') {
      here = here.of;
      if (!cause) [index, cause] = [parent.index, knowledgeOf(parent.index, fn, parent).cause];
    } else if (parent.kind === 'member' && field) {
      here = field.type;
      if (!index) [part, type] = [`${part}.${parent.field}`, here];
    } else break;
    node = parent;
  }
  const kept = [...fn.around(node)].filter((around) => staysLoop(around, fn));
  const loops = [...place.loops, ...kept.map((loop) => fn.span(loop))];
  if (!index) return yield* accessesInCallee(node, fn, { ...place, part, type, loops }, left);
  const parent = fn.parent(node);
  yield {
    ...place,
    ...{ part, type, loops },
    at: fn.span(node),
    loads: parent?.kind !== 'assign' || parent.target !== node || parent.op !== '=',
    apart: cause === 'value' && dependsOnThread(index, fn.decl, fn.program),
    index: fn.text(index),
    cause: typeof cause === 'object' ? 'loop' : cause,
    loopAt: typeof cause === 'object' ? fn.span(cause) : undefined,
  };
}

/** Of a function that is passed the place, by its address or a reference, or that is a method of it. */
function* accessesInCallee(expr: Expr, fn: Fn, { part, type, ...more }: Place, left: number): Iterable<Access> {
  const parent = fn.parent(expr);
  const isMethod = parent?.kind === 'member';
  const isAddress = parent?.kind === 'unary' && parent.op === '&';
  const call = isMethod || isAddress ? fn.parent(parent) : parent;
  if (call?.kind !== 'call' || left === 0) return;
  const [callee, ...others] = calleesOf(call, fn).filter(({ params }) => params.length === call.args.length);
  if (!callee || others.length > 0 || callee === fn.decl) return;
  const inner = fn.of(callee, [{ caller: fn.decl, args: call.args, within: fn }]);
  const param = callee.params[call.args.indexOf(isAddress ? parent : expr)];
  const isPassed = param && (isAddress || /^(?:pointer|reference|array)$/.test(param.type.kind));
  const place = { callAt: fn.span(call), ...more };
  for (const node of inner.locals.nodes) {
    if (node.kind !== 'name') continue;
    const local = inner.local(node);
    // A method names the fields of its object.
    const field = !local && isMethod && type.kind === 'struct' ? type.fields.get(node.name) : undefined;
    const isSame = local ? isPassed && local.parameter === param && local.writes.length === 0 : node.name === 'this';
    if (field) yield* accessesOf(node, inner, { ...place, part: `${part}.${node.name}`, type: field.type }, left - 1);
    else if (isSame) yield* accessesOf(node, inner, { ...place, part, type }, left - 1);
  }
}
