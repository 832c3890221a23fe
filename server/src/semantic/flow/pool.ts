// Memory that cannot leave its loop: the stream-ordered allocator takes it from a pool, and gives it back there.
import { titleWith } from '../excerpt';
import type { CallExpr, Expr, LaunchExpr } from '../../syntax/ast';
import type { Edit, RuntimeCallFact } from '../model';
import { type Fn, calleeName, some, argumentOf, asksContainer } from '../language';
import { argumentVariable, isWritten, launchesIn, madeVariable, type HostLoop, type RuntimeCall } from './calls';
import { calleesOf, declaredType, isNull } from './callees';
import { mayShareMemory } from './pointers';

type Hoist = NonNullable<RuntimeCallFact['hoist']>;

/**
 * The edits that make all allocations of a variable, and every place that gives it back, asynchronous, where all work
 * of the loop is queued on one stream, so that stream order is the order in which the host did it, and the host sees no
 * memory of the GPU. `why` says what keeps the pair in the loop. Undefined where the memory may be given back out of
 * sight, or another stream is about.
 */
export function poolOf(
  made: RuntimeCall,
  loop: HostLoop,
  why: string,
  calls: readonly RuntimeCall[],
  fn: Fn,
  partnerAt: Hoist['partnerAt'],
): Hoist | undefined {
  const variable = madeVariable(made, fn);
  if (made.name !== 'cudaMalloc' || made.call.args.length !== 2 || !variable?.variable) return undefined;
  const ofVariable = calls.filter(({ call }) => argumentVariable(call.args[0], fn) === variable);
  const ends = ofVariable.filter(({ category }) => category === 'free');
  if (ends.length === 0 || !ends.every(({ name, call }) => name === 'cudaFree' && call.args.length === 1))
    return undefined;
  const makes = calls.filter((one) => one.category === 'allocate' && madeVariable(one, fn) === variable);
  if (!makes.every(({ name, call }) => name === 'cudaMalloc' && call.args.length === 2)) return undefined;
  if (isHandedOn(makes, fn)) return undefined;
  const stream = streamOf(loop, fn);
  const copiesElsewhere = calls.some((one) => fn.isInside(one.call, loop) && one.category === 'async-copy');
  if (stream === undefined || copiesElsewhere || mayShareMemory(fn.unit)) return undefined;
  const changed = [...makes, ...ends];
  if (!changed.every(({ call }) => isWritten(call, fn))) return undefined;
  const { uri } = fn.file;
  const edits: Edit[] = changed.flatMap(({ call, name }) => {
    const last = fn.decl.base + call.end - 1;
    return [
      { at: fn.span(call.callee), newText: `${name}Async` },
      { at: { uri, start: last, end: last }, newText: `, ${stream}` },
    ];
  });
  return {
    safe: false,
    why,
    edits,
    title: titleWith(stream, (name) => `Allocate on stream \`${name}\``),
    partnerAt,
  };
}

/** Does another name come to hold the memory, so that somebody else may give it back? */
function isHandedOn(makes: readonly RuntimeCall[], fn: Fn): boolean {
  const variable = madeVariable(makes[0]!, fn)!;
  return variable.uses.some((use) => {
    let inner = fn.parent(use);
    if (inner?.kind === 'unary' && inner.op === '&' && !makes.some(({ call }) => fn.isInside(use, call))) return true;
    while (inner?.kind === 'cast') inner = fn.parent(inner);
    if (inner?.kind === 'var' || inner?.kind === 'initList' || inner?.kind === 'return' || inner?.kind === 'lambda')
      return true;
    return inner?.kind === 'assign' && inner.target !== use;
  });
}

/** The one stream, as text, on which the loop queues its work; undefined if there are more, or if it is unknown. */
function streamOf(loop: HostLoop, fn: Fn): string | undefined {
  const streams = new Set<string | undefined>();
  for (const launch of launchesIn(loop, fn)) {
    if (launch.kind === 'launch') streams.add(streamText(launch, fn));
    else streams.add(onDefault(launch, fn, 0) ? '0' : undefined);
  }
  return streams.size === 1 ? [...streams][0] : undefined;
}

function streamText({ config }: LaunchExpr, fn: Fn): string {
  const given = config[3];
  return !given || (given.kind === 'number' && given.value === 0) ? '0' : fn.text(given);
}

/** Does a call that launches do so on the default stream alone: one of CUB without a stream, a known function? */
export function onDefault(call: CallExpr, fn: Fn, depth: number): boolean {
  const isStream = call.args.some((arg) => {
    if (arg.kind === 'number') return false;
    const type = declaredType(arg, fn);
    const named = type?.kind === 'reference' ? type.to : type;
    if (arg.kind === 'call' && arg.callee.kind === 'member' && asksContainer(arg.callee.field)) return false;
    if (named === undefined) return arg.kind === 'call' || arg.kind === 'member' || arg.kind === 'name';
    // The table of types holds `cudaStream_t` as a scalar of 8 bytes; another named type may hold a stream.
    if (named.kind !== 'named' || fn.decl.templateParams?.some((param) => param.name === named.name)) return false;
    const resolved = fn.types.resolve(named);
    return resolved.kind !== 'scalar' || resolved.name === 'cudaStream_t';
  });
  if (isStream || depth > 3) return false;
  if (call.callee.kind === 'name' && /(^|::)Device[A-Z]\w*::\w+$/.test(call.callee.name)) return true;
  const callees = calleesOf(call, fn).filter(({ device }) => !device);
  return (
    callees.length > 0 &&
    callees.every((decl) => {
      const inner = fn.inside(decl, fn.program.fileOf(decl));
      const copies = some(
        decl.body,
        (node) => node.kind === 'call' && /^cudaMemcpy\w*Async$|^cudaStreamCreate/.test(calleeName(node) ?? ''),
      );
      return (
        !copies &&
        launchesIn(decl.body!, inner).every((launch) =>
          launch.kind === 'launch'
            ? streamText(launch, inner) === '0' || isGivenDefault(launch.config[3], inner, call.args)
            : onDefault(launch, inner, depth + 1),
        )
      );
    })
  );
}

/** Is the stream a parameter for which the call gives the default stream, or nothing? */
function isGivenDefault(stream: Expr | undefined, { decl, locals }: Fn, args: readonly Expr[]): boolean {
  const local = stream?.kind === 'name' ? locals.of(stream) : undefined;
  const given = local && local.writes.length === 0 ? argumentOf(local.parameter, decl, args) : undefined;
  return !!given && isNull(given);
}
