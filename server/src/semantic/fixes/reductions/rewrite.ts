// Writes the two-stage warp-shuffle reduction that takes the place of a sweep and leaves the total where the sweep left
// it.
import { titleWith } from '../../excerpt';
import type { Expr, Stmt } from '../../../syntax/ast';
import type { Edit } from '../../model';
import { type AnySyntax, indentBeyond, isConditionLoop, sizeOf, type Fn, type Local, some } from '../../language';
import { hasMacro } from '../../program';
import { freshNamesOf } from '../writing/edits';
import { aroundSweep } from './around';
import { commentsOf, withTrailingComment } from './comments';
import { isBlockBarrier } from './barriers';

import type { SweepOperator, SweptArray } from './places';
import {
  elementTypeOf,
  elementTypeText,
  hasVaryingReturnBefore,
  isOfFirstThread,
  isSwept,
  isUnderVarying,
  arrayName,
  type CompleteSweep,
} from './surroundings';

type Written =
  | { readonly edits: readonly Edit[]; readonly title: string; readonly exact: boolean }
  | { readonly why: string };

// The types that __shfl_down_sync is declared for, and the small integers that promote to one of them.
const shuffled = new RegExp(
  [
    '^(int|unsigned int|unsigned|uint|long|unsigned long|long long|unsigned long long|float|double|half',
    '__half|nv_bfloat16|__nv_bfloat16|short|unsigned short|char|signed char|unsigned char|u?int(8|16|32',
    '64)_t|size_t|(std::)?(u?int(8|16|32|64)_t|size_t)|uchar|ushort|ulong|(signed|unsigned)? ?(long',
    'short)( long)? int)$',
  ].join('|'),
);

/** The edits, or why none can be offered. */
export function writeShuffleReduction(
  fn: Fn,
  sweeps: readonly CompleteSweep[],
  region: { readonly start: number; readonly end: number },
  lane: string,
  shapeKnown: boolean,
): Written {
  const sweep = sweeps[0]!;
  if (!shapeKnown) return { why: 'no known launch gives the block size, and the result differs between powers of two' };
  if (fn.allShapesKnown === false) return { why: 'a launch has a block size that depends on a run-time value' };
  const guessed = new Set(sweeps.flatMap(({ assumed }) => assumed));
  if (guessed.size)
    return { why: `it depends on the value of ${[...guessed].map((name) => `\`${name}\``).join(', ')}` };
  const { frame } = sweep;
  const first = sweep.swept[0]!;
  if (hasVaryingReturnBefore(first, fn)) return { why: 'some threads may have returned before it' };
  for (const site of fn.callSites ?? []) {
    if (site.args[0] && hasVaryingReturnBefore(site.args[0], fn.of(site.caller)))
      return { why: `some threads of \`${site.caller.name}\` may have returned before it` };
  }
  if (!sweep.run.blockBarriers && isUnderVarying(first, fn)) return { why: 'not all threads of the block reach it' };

  const extentOf = ({ run: { count }, frame: { threads } }: CompleteSweep): string =>
    count === threads ? 'all' : count === 2 * threads ? 'twice' : count < threads ? `${count}` : 'odd';
  const counts = new Set(sweeps.map(extentOf));
  if (counts.size !== 1) return { why: 'the known launches sweep different numbers of elements' };
  const extent = [...counts][0]!;
  if (extent === 'odd')
    return { why: `${sweep.run.count} elements do not divide evenly among ${frame.threads} threads` };

  for (const one of sweeps)
    for (const array of sweep.run.arrays) {
      const type = elementTypeOf(array, sweep.frame, one.launch);
      if (type?.kind !== 'scalar')
        return {
          why:
            `the element type of \`${arrayName(array)}\` is not one that __shfl_down_sync accepts, as far as the ` +
            'text tells',
        };
      if (!shuffled.test(type.name)) return { why: `__shfl_down_sync does not take \`${type.name}\`` };
    }

  const written = fn.text(region);
  if (!/^(for|while|do|if|#\s*pragma)\b/.test(written) || !/[;}]$/.test(written))
    return { why: 'a macro expands to it' };
  if (written.split('\n').some((line) => /^\s*#/.test(line) && !/^\s*#\s*pragma\s+unroll/.test(line)))
    return { why: 'it contains preprocessor conditions' };

  const places: ((index: string) => string)[] = [];
  for (const array of sweep.run.arrays) {
    const place = placeText(array, fn, sweep);
    if (!place) return { why: `\`${arrayName(array)}\` is not in scope there under a single name` };
    places.push(place);
  }
  const carried = carriedVariables(sweep, fn);
  if (carried === undefined) return { why: 'a variable that the sweep changes is used after it' };

  const shape = sweeps.map((one) => one.frame.shape);
  const wide = [0, 1, 2].map((axis) => shape.some((extents) => extents[axis]! > 1));
  const axes = ['x', 'y', 'z'].filter((_, axis) => wide[axis]);
  const blockText = axes.length ? axes.map((axis) => `blockDim.${axis}`).join(' * ') : 'blockDim.x';
  const warps = axes.length > 1 ? `(${blockText}) / 32` : `${blockText} / 32`;

  // A `#pragma unroll` often is in the first column; the loop tells the indentation.
  const indent = fn.indent(first.start);
  const before = fn.indent(region.start);
  const step = stepIn(first, fn) ?? fn.indentStep;
  const newline = fn.newline;
  const fresh = freshNamesOf(fn, region);
  const offset = fresh('offset');
  const body: string[] = [];
  const line = (level: number, ...texts: readonly string[]): void => {
    for (const text of texts) body.push(indent + step.repeat(level) + text);
  };
  const under = (level: number, head: string, statements: readonly string[]): void => {
    if (statements.length === 1) line(level, `${head} ${statements[0]}`);
    else {
      line(level, `${head} {`);
      line(level + 1, ...statements);
      line(level, '}');
    }
  };
  const capital = (name: string): string => name.replace(/\W/g, '').replace(/^\w/, (letter) => letter.toUpperCase());
  const oneRoot = new Set(sweep.run.arrays.map(({ root }) => root.key)).size === 1;
  const arrays = sweep.run.arrays.map((array, position) => {
    const type = elementTypeText(array, elementTypeOf(array, frame, 0), fn);
    const parts = [...(oneRoot ? [] : [array.root.name]), ...array.path.filter((part) => typeof part === 'string')];
    const suffix = sweep.run.arrays.length > 1 ? parts.map(capital).join('') : '';
    const total = fresh(`total${suffix}`);
    const register = carried.get(array);
    return {
      ...{ type, total, place: places[position]!, warpTotals: fresh(`warpTotals${suffix}`) },
      result: `${places[position]!('0')} = ${register ? `${register.name} = ` : ''}${total};`,
      idle: (element: string) => idleValue(array.operator, type, element),
      combined: (value: string, name: string) => combineText(array, total, value, type, () => fresh(name + suffix)),
    };
  });
  const shuffle = (level: number): void => {
    const combines = arrays.flatMap(({ total, combined }) =>
      combined(`__shfl_down_sync(0xffffffff, ${total}, ${offset})`, 'other'),
    );
    under(level, `for (int ${offset} = 16; ${offset} > 0; ${offset} >>= 1)`, combines);
  };

  const isShort = extent !== 'all' && extent !== 'twice';
  const ownPlaces = places.flatMap((place) => [
    place(bare(lane)),
    ...(extent === 'twice' ? [place(`${lane} + ${blockText}`)] : []),
    // The value in place of the missing elements of a shorter row may be another thread's.
    ...(isShort ? [place('0')] : []),
  ]);
  const around = aroundSweep(fn, sweeps, ownPlaces);

  const barrier = barrierText(sweep, fn);
  const [previous, next] = [sweep.statements[sweep.first - 1], sweep.statements[sweep.last + 1]];
  const isMet = (stmt: Stmt | undefined): boolean => !!stmt && isBlockBarrier(stmt, frame);
  const replaced = withTrailingComment(fn, region);
  const comments = commentsOf(fn, sweep, replaced);
  line(0, '{');
  for (const { type, warpTotals } of arrays) line(1, `__shared__ ${type} ${warpTotals}[32];`);
  if (sweep.run.barrierFirst && around.needsBarrierBefore && !isMet(previous)) line(1, barrier);
  for (const { type, total, place, idle, combined } of arrays) {
    const partial = place(bare(lane));
    line(1, `${type} ${total} = ${isShort ? `${lane} < ${extent} ? ${partial} : ${idle(place('0'))}` : partial};`);
    if (extent === 'twice') line(1, ...combined(place(`${lane} + ${blockText}`), 'upper'));
  }
  line(1, ...comments.warps);
  shuffle(1);
  const leaders = arrays.map(({ warpTotals, total }) => `${warpTotals}[${lane} / 32] = ${total};`);
  under(1, `if (${lane} % 32 == 0)`, leaders);
  line(1, ...comments.barrier, barrier, ...comments.firstWarp, `if (${lane} < 32) {`);
  for (const { total, warpTotals, idle } of arrays)
    line(2, `${total} = ${lane} < ${warps} ? ${warpTotals}[${bare(lane)}] : ${idle(`${warpTotals}[0]`)};`);
  shuffle(2);
  const results = arrays.map(({ result }) => result);
  under(2, `if (${lane} == 0)`, results);
  line(1, '}');
  if (around.needsBarrierAfter && !isMet(next)) line(1, barrier);
  line(0, '}');

  const floating = sweep.run.arrays.some((array) => {
    const type = elementTypeOf(array, frame, 0);
    return type?.kind !== 'scalar' || type.float;
  });
  const exact = !floating && sharedMemoryIsFar(fn);
  const reduced = sweep.run.arrays.map(arrayName);
  const isSum = sweep.run.arrays.some((array) => array.operator === '+');
  const price = exact
    ? ''
    : !floating
      ? ` (+${32 * sweep.run.arrays.length} shared elements)`
      : isSum
        ? ' (changes rounding)'
        : ' (NaN may differ)';
  return {
    edits: [
      {
        at: fn.span(replaced),
        newText: indent.startsWith(before) ? body.join(newline).slice(before.length) : body.join(newline).trimStart(),
      },
      ...around.deletions,
    ],
    title: titleWith(reduced, (label) => `Reduce \`${label}\` with shuffles${price}`),
    exact,
  };
}

/** The step by which the lines of a loop's body are indented; undefined where they do not begin lines below it. */
function stepIn(loop: Stmt, fn: Fn): string | undefined {
  const body = 'body' in loop && !Array.isArray(loop.body) ? (loop.body as Stmt) : undefined;
  const inner = body?.kind === 'block' ? body.body[0] : body;
  if (!inner || !/\n[ \t]*$/.test(fn.text({ start: loop.start, end: inner.start }))) return undefined;
  const [outer, indent] = [fn.indent(loop.start), fn.indent(inner.start)];
  return indentBeyond(outer, indent) || undefined;
}

/** The barrier as the sweep writes it: `cta.sync()` keeps its group in use. */
function barrierText(sweep: CompleteSweep, fn: Fn): string {
  const barrier = fn.locals.nodes
    .slice(sweep.orders[0], sweep.orders[1] + 1)
    .find((node): node is Stmt => node.kind === 'expr' && !hasMacro(node) && isBlockBarrier(node, sweep.frame));
  const isOwn = some(barrier, (part) => {
    const variable = part.kind === 'name' ? fn.local(part)?.variable : undefined;
    return !!variable && isSwept(variable, sweep, fn.locals);
  });
  return barrier && !isOwn ? fn.text(barrier) : '__syncthreads();';
}

function bare(text: string): string {
  return /^\((.*)\)$/.test(text) && !/[()]/.test(text.slice(1, -1)) ? text.slice(1, -1) : text;
}

/**
 * Elements beyond the last one must not change the total: zero where that is neutral, else a value that is in it
 * anyway.
 */
function idleValue(operator: SweepOperator, type: string, element: string): string {
  if (!/^[+|^]$/.test(operator)) return element;
  const isPlain = shuffled.test(type) && !/half|bfloat/.test(type);
  return zeros.get(type) ?? (isPlain ? '0' : `(${type})0`);
}
const zeros = new Map([
  ['float', '0.0f'],
  ['double', '0.0'],
  ['unsigned', '0u'],
  ['unsigned int', '0u'],
]);

function combineText(array: SweptArray, total: string, other: string, type: string, otherName: () => string): string[] {
  const operator = array.operator;
  if (array.callee) return [`${total} = ${array.callee}(${total}, ${other});`];
  if (operator === 'max' || operator === 'min') {
    const name = otherName();
    return [
      `const ${type} ${name} = ${other};`,
      `if (${name} ${operator === 'max' ? '>' : '<'} ${total}) ${total} = ${name};`,
    ];
  }
  return [`${total} ${operator}= ${other};`];
}

function placeText(array: SweptArray, fn: Fn, sweep: CompleteSweep): ((index: string) => string) | undefined {
  const locals = fn.locals;
  const { local, name } = array.root;
  if (local?.variable && locals.order(local.variable) > sweep.orders[0]) return undefined;
  if (local && !locals.all.includes(local)) return undefined;
  const pieces: (string | undefined)[] = [];
  for (const part of array.path) {
    if (part === undefined) pieces.push(undefined);
    else if (typeof part === 'string') pieces.push(`.${part}`);
    else {
      if (locals.order(part as Expr) < 0) return undefined;
      const text = fn.text(part);
      if (!text || /[\n;{}]/.test(text)) return undefined;
      pieces.push(`[${text}]`);
    }
  }
  return (index) => name + pieces.map((piece) => piece ?? `[${index}]`).join('');
}

/**
 * Variables from outside the sweep that it changes and later code reads: those that carry the total in thread 0 can be
 * given it; undefined when there is any other.
 */
function carriedVariables(sweep: CompleteSweep, fn: Fn): Map<SweptArray, Local> | undefined {
  const { orders, frame, run, swept } = sweep;
  const [begin, end] = orders;
  const { locals } = fn;
  const outermost = [...fn.around(swept[0]!)].filter(isConditionLoop).at(-1);
  const start = outermost ? locals.order(outermost) : begin;
  const isLater = (use: AnySyntax): boolean =>
    locals.order(use) > end || (locals.order(use) >= start && locals.order(use) < begin);
  const isSet = (use: AnySyntax): boolean => {
    const parent = fn.parent(use);
    return parent?.kind === 'assign' && parent.op === '=' && parent.target === use;
  };
  const carried = new Map<SweptArray, Local>();
  for (const local of locals.all) {
    if (local.variable && locals.order(local.variable) >= begin) continue;
    if (!local.writes.some(({ node }) => isSwept(node, sweep, locals))) continue;
    const later = local.uses.filter(isLater);
    const reads = later.filter((use) => !isSet(use));
    if (reads.length === 0) continue;
    const isOfFirst = reads.every((use) => isOfFirstThread(use, frame));
    const array = isOfFirst ? run.arrays.find((one) => !carried.has(one) && run.carries(local, one)) : undefined;
    if (array) carried.set(array, local);
    // The next use overwrites it, and it is not carried around a loop.
    else if (outermost || !isSet(later[0]!)) return undefined;
  }
  return carried;
}

/** Static shared memory well under 48 KiB and no dynamic one: 128 more bytes cannot make a launch fail. */
function sharedMemoryIsFar(fn: Fn): boolean {
  let bytes = 0;
  for (const local of fn.locals.all) {
    const { variable } = local;
    if (variable?.space !== 'shared') continue;
    const size = variable.storage === 'extern' ? undefined : sizeOf(fn.types.resolve(variable.type));
    if (size === undefined) return false;
    bytes += size;
  }
  return bytes <= 46 * 1024 && fn.decl.global;
}
