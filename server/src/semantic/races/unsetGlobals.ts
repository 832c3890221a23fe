// Reads of global memory that nothing set before the launch: no copy, no memset, no kernel, and no store of this one.
import type { Expr, FunctionDecl, ParamDecl } from '../../syntax/ast';
import { localsOf, sizeOf } from '../language';
import {
  laneAt,
  Taint,
  type Condition,
  type MemoryBase,
  type RunResult,
  type ScatteredAccess,
  type TracedAccess,
  uncertain,
} from '../run';
import { placeOf } from './hazards';
import { bytesOf } from './touched';
import { scalarOf } from './overruns';
import { placeIn, threadName } from './raceFacts';
import type { WrongAccess } from './wrongAccesses';

type Block = readonly [number, number, number];
type Access = TracedAccess | ScatteredAccess;

/** By parameter, the bytes from the start of its memory that are set before a launch, where it is known. */
export interface GivenUnset {
  readonly set: readonly (number | undefined)[];
  readonly launch: number;
}

const open = uncertain | Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.block;

function accessesOf({ global }: RunResult, of: ParamDecl | undefined): Access[] {
  return global.filter(
    (event): event is Access => (event.kind === 'access' || event.kind === 'scattered') && isOf(event.base, of),
  );
}
function isOf({ declaration }: MemoryBase, param: ParamDecl | undefined): boolean {
  return param !== undefined && declaration?.node === param;
}

/** Is a parameter's memory read first, so that a run of a block may show that nothing set it? */
export function mayReadUnset(result: RunResult, { params }: FunctionDecl, given: readonly GivenUnset[]): boolean {
  if (!result.complete || result.unread.size > 0) return false;
  return params.some((param, at) => {
    if (given.every(({ set }) => set[at] === undefined)) return false;
    const first = accessesOf(result, param)[0];
    return first !== undefined && first.mode !== 'store';
  });
}

/** The first read of each parameter's memory that gets what nothing set; `all` is the run of any block. */
export function unsetGlobalOf(
  one: RunResult,
  all: RunResult,
  { params }: FunctionDecl,
  block: Block,
  given: readonly GivenUnset[],
): WrongAccess[] {
  if (!one.complete) return [];
  return params.flatMap((param, parameter) => {
    const accesses = accessesOf(one, param);
    const [read] = accesses;
    if (!read || read.mode === 'store' || !isSure(read) || replaces(read)) return [];
    const stores = [...all.accesses.values(), ...one.accesses.values()]
      .flat()
      .filter(({ mode, base }) => mode !== 'load' && isOf(base, param));
    // Each thread that stores reads before, so that the first read of all comes before the stores.
    const isFirst = stores.every(({ node }) => {
      const events = accesses.filter((event) => event.node === node && event.mode !== 'load');
      return events.length > 0 && events.every((event) => event === read || isWithin(event, read));
    });
    const found = isFirst ? given.flatMap((each) => unsetIn(read, each, parameter)) : [];
    const [first] = found;
    if (!first) return [];
    const size = read.base.type && sizeOf(scalarOf(read.base.type));
    const element = first.byte === undefined || !size ? {} : { element: Math.floor(first.byte / size) };
    return {
      key: `unset ${placeOf(read)}`,
      place: placeIn(read),
      base: read.base,
      wrong: { kind: 'unset', thread: threadName(first.lane, block), isWhole: true, ...element },
      given: { ...first.given, parameter, adds: stores.length > 0 },
    };
  });
}

/** Does the access take place whatever the data? */
function isSure({ settled, byData, isShadow, conditions, mask }: Access): boolean {
  for (let at: Condition | undefined = conditions; at; at = at.outer) if (at.taint & open) return false;
  return settled && !byData && !isShadow && mask.count > 0;
}

/** `atomicExch` sets the place, and gives what was there to code that may not use it. */
function replaces({ mode, node, fn }: Access): boolean {
  if (mode !== 'atomic') return false;
  const { parent } = localsOf(fn);
  let at = parent(node as Expr);
  while (at && (at.kind === 'unary' || at.kind === 'cast')) at = parent(at);
  return at?.kind === 'call' && at.callee.kind === 'name' && at.callee.name.startsWith('atomicExch');
}

function isWithin({ mask }: Access, { mask: outer }: Access): boolean {
  return mask.bits.every((bit, lane) => !bit || outer.bits[lane]);
}

/** The first lane whose bytes all lie beyond those that are set. */
function unsetIn(
  read: Access,
  { set, launch }: GivenUnset,
  parameter: number,
): { lane: number; byte?: number; given: Pick<NonNullable<WrongAccess['given']>, 'launch' | 'set'> }[] {
  const bytes = set[parameter];
  if (bytes === undefined) return [];
  const given = { launch, set: bytes };
  const { bits } = read.mask;
  const lanes = Array.from(bits, (_, lane) => lane).filter((lane) => bits[lane]);
  const isKnown = read.kind === 'access' && (read.form ?? []).every(({ of }) => of.factors[0]!.kind === 'loop');
  if (!isKnown) return bytes === 0 ? [{ lane: lanes[0]!, given }] : [];
  const at = bytesOf(read, () => 0);
  const lane = lanes.find((each) => laneAt(at, each) + read.bytes > bytes);
  return lane === undefined ? [] : [{ lane, byte: laneAt(at, lane), given }];
}
