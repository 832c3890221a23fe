// Calls of unknown functions: nothing is known of what they give, but that it differs between lanes where their
// arguments do.
import { floatResult } from './arithmetic';
import { endProgram, endUnless } from './exits';
import { endsProgram, exchangeOf, isPrinting, isValueFunction, meetingOf, intType, type Type } from '../language';
import type { Expr } from '../../syntax/ast';
import { callLambda } from './calling';
import type { CallSite } from './callSite';
import { isGroupInWarp } from './groups';
import { map1, variesInWarp, type Lanes } from './lanes';
import { store } from './memory';
import { isOwner } from './owners';
import { scattered, unseen } from './state';
import { plain, Taint, type Frame, type MemoryPlace, type Path, type Place, type Run, type Value } from './values';

/** Names of CUDA that meet no other threads, and touch no memory that they are not given. */
const isIntrinsic = /^__(?!pipeline|cluster|nanosleep|\w*(bar|sync))/;

/** An array of each thread's own that an unknown function was given: it may hold anything, in each lane another. */
function fill(run: Run, elements: Map<number, Value>, type: Type): void {
  const of = type.kind === 'pointer' ? type.to : intType;
  elements.clear();
  // At no offset that is asked for, so that it stands for all of them.
  if (of.kind === 'scalar') elements.set(-1, anyOf(run, of));
}

/** A variable that has no value yet is there to be given one. */
function giveValue(site: CallSite, at: number, path: Path, frame: Frame): void {
  const place = site.places[at]?.({ ...path, quiet: true }, frame);
  if (place?.kind !== 'cell' || place.path.length > 0 || place.cell.value || place.cell.ref) return;
  if (place.type.kind !== 'scalar') return;
  place.cell.value = isAggregate(site, at)
    ? unseen(frame.run, place.type, `${place.cell.name}&${site.name}`, Taint.chosen)
    : anyOf(frame.run, place.type);
}

/** The last argument of CUB's scans: what the block's threads, or the warp's lanes, sum up to (BlockScan). */
function isAggregate({ expr }: CallSite, at: number): boolean {
  const { callee, args } = expr;
  const name = callee.kind === 'member' ? callee.field : '';
  return at >= 2 && at === args.length - 1 && /^(In|Ex)clusive(Sum|Scan)$/.test(name);
}

/** A number of each lane's own. */
function anyOf(run: Run, type: Type): Value {
  return plain(type, scattered(run), Taint.loaded | Taint.thread);
}

/** What is in a variable whose address went along with values that differ between lanes: of each lane another. */
export function partedBy(run: Run, type: Type, taint: number, varying: Lanes | undefined): Value | undefined {
  const parts = varying !== undefined || (taint & (Taint.loaded | Taint.hash)) !== 0;
  if (!parts || run.setup.host || type.kind !== 'scalar') return undefined;
  return type.float ? plain(type, 1, taint | Taint.loaded | Taint.thread) : anyOf(run, type);
}

/** A structure, or what a declaration takes by reference, may be read in part, be written or be left alone there. */
function argument(site: CallSite, at: number, path: Path, frame: Frame): Value {
  const code = site.args[at]!;
  if (!site.again[at]) return code(path, frame);
  const value = code({ ...path, quiet: true }, frame);
  const isObject = value.type.kind === 'struct' && value.type.vector === undefined;
  const { asked, setup } = frame.run;
  asked.add(site.name);
  const declared = setup.program.functions(site.name).filter((fn) => fn.params.length > at);
  const byReference = declared.length ? declared.some((fn) => fn.params[at]!.type.kind === 'reference') : isObject;
  return byReference ? value : code(path, frame);
}

/** May what is given to a function lead it to memory that the lanes of a warp share? */
function leadsToMemory({ base, lambda, type }: Value): boolean {
  if (base) return base.name !== '"' && !base.elements;
  return lambda !== undefined || holdsPointer(type, 0);
}

const deepestField = 3;

function holdsPointer(type: Type, depth: number): boolean {
  if (type.kind === 'pointer') return true;
  if (type.kind === 'array') return holdsPointer(type.of, depth);
  if (type.kind !== 'struct' || type.vector !== undefined || depth > deepestField) return false;
  return [...type.fields.values()].some((field) => holdsPointer(field.type, depth + 1));
}

/** A function that is given a condition may assert it. */
function isCondition(arg: Expr): boolean {
  return arg.kind === 'binary' && /^([=!<>]=|[<>]|&&|\|\|)$/.test(arg.op);
}

/** A function that the host's run does not see may allocate for a pointer that it can write. */
function loseSizes({ expr, places, name }: CallSite, at: number, value: Value, path: Path, frame: Frame): void {
  const { program } = frame.run.setup;
  const isNamed = ['name', 'member'].includes(expr.args[at]!.kind);
  const mayWrite =
    value.type.kind === 'struct' ||
    isOwner(value) ||
    program.functions(name).some(({ params }) => params[at]?.type.kind === 'reference');
  const place = value.target ?? (isNamed && mayWrite ? places[at]?.({ ...path, quiet: true }, frame) : undefined);
  if (place?.kind !== 'cell' || !place.cell.value) return;
  const { cell } = place;
  // What is taken for a size's number must not rest on what may be written.
  const isLost = frame.run.setup.ends && value.target && cell.type.kind === 'scalar';
  if (isLost) cell.value = unseen(frame.run, cell.type, `${cell.name}&${name}`, Taint.chosen);
  else if (isOwner(place.cell.value)) cell.value = plain(cell.type, 0, Taint.chosen);
  else cell.value = withoutSizes(place.cell.value);
}
function withoutSizes(value: Value): Value {
  const { base, fields } = value;
  if (fields) return { ...value, fields: new Map([...fields].map(([name, field]) => [name, withoutSizes(field)])) };
  return base ? { ...value, base: { ...base, bytes: undefined, bytesOf: undefined } } : value;
}

/** A variable that is the storage of one collective alone. */
function isCollectiveStorage(place: Place | undefined, creation: Expr): place is MemoryPlace {
  const arg = creation.kind === 'call' ? creation.args[0] : undefined;
  if (place?.kind !== 'memory' || arg?.kind !== 'name') return false;
  const { base, type } = place;
  return base.space === 'shared' && type.kind === 'unknown' && type === base.type && base.name === arg.name;
}

/** Who may have met in a call; is it of an unknown function, and the kernel's shared memory followed? */
function meet(
  { expr, name }: CallSite,
  object: Place | undefined,
  held: boolean,
  toGroup: boolean,
  path: Path,
  frame: Frame,
): boolean {
  const { run } = frame;
  const { shared } = run.recorder;
  run.asked.add(name);
  const { callee } = expr;
  const isDefined = held || run.setup.program.functions(name).some(({ params }) => params.length === expr.args.length);
  const among =
    object?.type.kind === 'unknown'
      ? exchangeOf(object.type.name)
      : callee.kind === 'name' && !isDefined
        ? meetingOf(callee.name, toGroup)
        : undefined;
  const storage = callee.kind === 'member' && object?.kind === 'value' ? object.value.target : undefined;
  if (among === 'block' && isCollectiveStorage(storage, (callee as Expr & { kind: 'member' }).object))
    shared.exchange(storage, path, frame, expr);
  else if (among === 'warp') shared.meeting('warp', path.mask);
  else if (among !== 'none') {
    shared.gap();
    return shared.length > 0;
  }
  return false;
}

/** `held`: a variable is called, which may be a functor or a lambda. */
export function unknownCall(site: CallSite, path: Path, frame: Frame, object?: Place, held = false): Value {
  const { run } = frame;
  const { expr, name, wanted } = site;
  let reaches =
    held ||
    object?.type.kind === 'struct' ||
    (object?.type.kind === 'unknown' && exchangeOf(object.type.name) === undefined);
  let taint = object?.kind === 'value' ? object.value.taint : 0;
  let varying: Lanes | undefined;
  /** Variables that it was given the addresses of, in the order of the arguments. */
  const forgotten: (() => void)[] = [];
  let toGroup = false;
  expr.args.forEach((arg, at) => {
    const operand = arg.kind === 'unary' && arg.op === '&' ? arg.operand : undefined;
    if (operand && (operand.kind === 'name' || operand.kind === 'member')) {
      const pointer = site.args[at]!(path, frame);
      const place = pointer.target;
      if (place?.kind === 'cell') {
        const { type, cell } = place;
        forgotten.push(() => {
          const value =
            type.kind === 'pointer'
              ? unseen(run, type, cell.name, 0)
              : (partedBy(run, type, taint, varying) ??
                unseen(run, type, `${cell.name}&${name}`, Taint.chosen, undefined, cell.name, 'call'));
          store(run, place, value, path, frame, operand, false);
        });
        return;
      }
      taint |= pointer.taint;
      return;
    }
    if (arg.kind === 'name' && !run.setup.host) giveValue(site, at, path, frame);
    const value = argument(site, at, path, frame);
    if (run.setup.host) loseSizes(site, at, value, path, frame);
    if (isCondition(arg)) endUnless(value, path, frame);
    // On the host most unknown macros and functions that take a lambda run it: AT_DISPATCH_…, parallel_for.
    if (value.lambda && run.setup.host) callLambda(value.lambda, [], path, frame, arg);
    taint |= value.taint;
    reaches ||= leadsToMemory(value);
    toGroup ||= isGroupInWarp(value);
    if (value.base?.elements && !run.setup.host) fill(run, value.base.elements, value.type);
    if (typeof value.lanes !== 'number' && !value.base && variesInWarp(value.lanes, path.mask)) varying = value.lanes;
  });
  for (const give of forgotten) give();
  if (endsProgram(name)) endProgram(path, frame);
  const float = floatResult(name);
  if (!float && (reaches || !isIntrinsic.test(name))) {
    if (meet(site, object, held, toGroup, path, frame)) reaches = true;
    if (reaches && !isValueFunction(name) && !isPrinting(name)) run.recorder.lose(expr, 'unknown-call', path, frame);
  }
  const type = wanted && wanted.kind !== 'unknown' ? wanted : (float ?? wanted ?? intType);
  if (varying) {
    const lanes = map1(varying, (a) => 1024 * (64 + (Math.imul(Math.trunc(a) | 0, 0x9e3779b1) >>> 20)));
    return plain(type, lanes, taint | (float ? 0 : Taint.hash) | Taint.thread);
  }
  const key = `${name}()@${frame.fn.key}:${expr.start}`;
  return unseen(run, type, key, Taint.chosen | taint, undefined, `${name}()`, 'call');
}
