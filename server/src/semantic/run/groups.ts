// Cooperative groups: which lanes a group holds, their ranks, and the barriers of the group.
import { formOf, open } from './forms';
import type { Expr } from '../../syntax/ast';
import { boundValue, intType, longType, unsignedType } from '../language';
import { nothing, pointedAt, warpResult, type CallSite, type MaybeValue } from './callSite';
import { laneAt, map1, select, settle, type Lanes } from './lanes';
import { deref } from './memory';
import { arithmetic } from './operations';
import type { Scope } from './scope';
import { shuffle } from './shuffles';
import { builtinNamed } from './state';
import { scaled } from './unknowns';
import { blank, plain, Taint, type Frame, type Path, type Place, type Run, type Value } from './values';

function groupValue(key: string, size = 0): Value {
  return { ...blank, type: { kind: 'unknown', name: `cg:${key}` }, lanes: size, taint: 0, key };
}
/** The lanes that a value is a group of, if they are of one warp. */
export function isGroupInWarp(value: Value): boolean {
  const key = keyOf(value);
  return key === 'coalesced' || (key === 'tile' && typeof value.lanes === 'number' && value.lanes <= 32);
}
function keyOf(value: Value | undefined): string | undefined {
  return value?.type.kind === 'unknown' && value.type.name.startsWith('cg:') ? value.type.name.slice(3) : undefined;
}

export function groupFunction(scope: Scope, site: CallSite, callee: Expr & { kind: 'name' }): MaybeValue | undefined {
  switch (site.name) {
    case 'this_thread_block':
      return () => groupValue('block');
    case 'this_grid':
      return () => groupValue('grid');
    case 'coalesced_threads':
      return (path, frame) => {
        // Ranks are counted as in a warp whose lanes are all there.
        if (frame.run.setup.contents) frame.run.recorder.lose(site.expr, 'unknown-call', path, frame);
        return groupValue('coalesced');
      };
    case 'tiled_partition': {
      const size = callee.templateArgs?.[0];
      const bindings = scope.bindings();
      const written =
        size && 'expr' in size
          ? (scope.types.constant(size.expr, bindings) ??
            (size.expr.kind === 'name' ? boundValue(bindings, size.expr.name) : undefined))
          : size && size.type.kind === 'named'
            ? (boundValue(bindings, size.type.name) ??
              scope.types.constant({ kind: 'name', name: size.type.name, start: 0, end: 0 }, bindings))
            : undefined;
      return (path, frame) => {
        const values = site.args.map((arg) => arg(path, frame));
        return groupValue('tile', written ?? (values[1] ? laneAt(values[1].lanes, 0) : 32));
      };
    }
    case 'sync':
      return (path, frame) => {
        const group = site.args[0]?.(path, frame);
        groupBarrier(keyOf(group), group?.lanes, site, 'sync', path, frame);
        return nothing;
      };
    case 'memcpy_async':
      return site.args.length === 4 ? (path, frame) => groupCopy(site, path, frame) : undefined;
    case 'wait':
      return (path, frame) => {
        const group = site.args[0]?.(path, frame);
        frame.run.recorder.shared.wait(0);
        groupBarrier(keyOf(group), group?.lanes, site, 'wait', path, frame);
        return nothing;
      };
    default:
      return undefined;
  }
}

/** The group copies together; which of its threads copies what is not said, so that one is taken to copy all. */
function groupCopy(site: CallSite, path: Path, frame: Frame): Value {
  const { run } = frame;
  const { recorder } = run;
  const [group, to, , size] = site.args.map((arg) => arg(path, frame));
  const key = keyOf(group);
  const threads = key === 'block' ? run.threads : key === 'tile' ? group!.lanes : undefined;
  const into = deref(run, to!);
  const isKnown = typeof size!.lanes === 'number' && (size!.taint & open) === 0 && size!.type.kind === 'scalar';
  if (isKnown && typeof threads === 'number' && into.kind === 'memory' && into.base.space === 'shared') {
    const isFirst = map1(linearOf(run), (a) => (a % threads === 0 ? 1 : 0));
    const mask = select(path.mask, isFirst, true);
    recorder.shared.copy(
      into,
      size!.lanes as number,
      { ...path, mask },
      frame,
      pointedAt(site.expr.args[1]) ?? site.expr,
    );
    recorder.shared.commit();
  } else recorder.shared.gap();
  recorder.lose(site.expr, 'unknown-call', path, frame);
  return nothing;
}

/** Smaller tiles may go their own ways, coalesced groups have no other lanes, and unknown ones say nothing. */
function groupBarrier(
  key: string | undefined,
  size: Lanes | undefined,
  site: CallSite,
  name: string,
  path: Path,
  frame: Frame,
): void {
  const { recorder } = frame.run;
  if (key === 'block' || key === 'grid') recorder.barrier(site.expr, name, key, path, frame);
  else if (key === 'tile' && size === 32) recorder.barrier(site.expr, name, 'warp', path, frame);
  else {
    recorder.flush(path);
    recorder.shared.gap();
  }
}

function linearOf({ threads }: Run): Lanes {
  return threads === 1 ? 0 : Float64Array.from({ length: threads }, (_, at) => at);
}
function linearValue(run: Run, apply: (a: number) => number): Value {
  const taint = run.threads === 1 ? 0 : Taint.thread;
  return { ...blank, type: unsignedType, lanes: settle(map1(linearOf(run), apply)), taint };
}

const builtinOf = new Map(Object.entries({ tid: 'threadIdx', ntid: 'blockDim', ctaid: 'blockIdx', nctaid: 'gridDim' }));
/** Masks of lanes, by the bit of the lane itself. */
const laneMasks = new Map<string, (bit: number) => number>([
  ['lanemask_eq', (bit) => bit],
  ['lanemask_lt', (bit) => bit - 1],
  ['lanemask_le', (bit) => 2 * bit - 1],
  ['lanemask_gt', (bit) => 2 ** 32 - 2 * bit],
  ['lanemask_ge', (bit) => 2 ** 32 - bit],
]);
/** What inline assembly moves from a special register that numbers lanes, threads or blocks (PTX ISA). */
export function registerIn(run: Run, template: string): Value | undefined {
  const [, name = '', axis = ''] = /^[\s"]*mov\.[us]32\s+%0\s*,\s*%%?(\w+)(?:\.([xyz]))?[\s;"]*$/.exec(template) ?? [];
  if (name === 'laneid') return linearValue(run, (a) => a % 32);
  const mask = laneMasks.get(name);
  if (mask) return linearValue(run, (a) => mask(2 ** (a % 32)) % 2 ** 32);
  const builtin = builtinOf.get(name);
  return builtin === undefined ? undefined : builtinNamed(run, builtin)!.fields!.get(axis);
}

/** The block's number in the grid, one value for all axes. */
function gridRank(run: Run): Value {
  const axis = (name: string, at: string): Value => builtinNamed(run, name)!.fields!.get(at)!;
  const rows = arithmetic(run, '*', axis('blockIdx', 'z'), axis('gridDim', 'y'));
  const row = arithmetic(run, '+', rows, axis('blockIdx', 'y'));
  const blocks = arithmetic(run, '+', arithmetic(run, '*', row, axis('gridDim', 'x')), axis('blockIdx', 'x'));
  return { ...blocks, type: longType };
}
function gridSize(run: Run): Value {
  const axis = (at: string): Value => builtinNamed(run, 'gridDim')!.fields!.get(at)!;
  const plane = arithmetic(run, '*', axis('x'), axis('y'));
  return arithmetic(run, '*', plane, axis('z'));
}
function times(run: Run, value: Value, by: number): Value {
  const form = formOf(run, value);
  return { ...value, lanes: map1(value.lanes, (a) => a * by), form: form && scaled(form, by) };
}

/** A method of a group; undefined where the object is none. */
export function groupMethod(site: CallSite, place: Place, path: Path, frame: Frame): Value | undefined {
  const value = place.kind === 'value' ? place.value : place.kind === 'cell' ? place.cell.value : undefined;
  const key = keyOf(value);
  if (!value || key === undefined) return undefined;
  const { run } = frame;
  const size = key === 'tile' && typeof value.lanes === 'number' ? value.lanes : 32;
  const all = (): Value[] => site.args.map((arg) => arg(path, frame));
  switch (site.name) {
    case 'sync':
      groupBarrier(key, value.lanes, site, `${key === 'block' ? 'thread_block' : key}.sync`, path, frame);
      return nothing;
    case 'thread_rank': {
      const rank = linearValue(run, (a) => (key === 'grid' || key === 'block' ? a : a % size));
      return key === 'grid' ? arithmetic(run, '+', times(run, gridRank(run), run.threads), rank) : rank;
    }
    case 'block_rank':
      return gridRank(run);
    case 'meta_group_rank':
      return linearValue(run, (a) => Math.floor(a / size));
    case 'meta_group_size':
      return plain(unsignedType, Math.ceil(run.threads / size), 0);
    case 'size':
    case 'num_threads':
      if (key === 'grid') return times(run, gridSize(run), run.threads);
      return plain(unsignedType, key === 'block' ? run.threads : size, 0);
    case 'num_blocks':
      return gridSize(run);
    case 'thread_index':
      return builtinNamed(run, 'threadIdx');
    case 'group_index':
      return builtinNamed(run, 'blockIdx');
    case 'group_dim':
    case 'dim_threads':
      return builtinNamed(run, 'blockDim');
    case 'shfl':
    case 'shfl_down':
    case 'shfl_up':
    case 'shfl_xor': {
      run.recorder.shared.meeting('warp', path.mask);
      const group: Value = plain(intType, size, 0);
      return shuffle(run, site.name.slice(4), size < 32 ? [...all(), group] : all());
    }
    default:
      all();
      run.recorder.shared.meeting('warp', path.mask);
      return warpResult(run, `${site.name}@${site.expr.start}`, site.name);
  }
}
