// Writes the two-stage warp-shuffle reduction that takes the place of a sweep and leaves the total where the sweep left
// it.
import { titleWith } from '../../excerpt';
import type { Expr, Stmt } from '../../../syntax/ast';
import type { Edit } from '../../model';
import { type AnySyntax, indentBeyond, sizeOf, type Fn, type Local, some } from '../../language';
import { hasMacro } from '../../program';
import { freshNamesOf } from '../writing/edits';
import { aroundSweep } from './around';
import { commentsOf, withTrailingComment } from './comments';
import { isBlockBarrier } from './barriers';

import type { SweepOperator, SweptArray } from './places';
import {
  activeThreads,
  elementTypeOf,
  elementTypeText,
  hasVaryingReturnBefore,
  isUnderVarying,
  lastOrder,
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
  const { decl, file } = fn;
  if (!shapeKnown) return { why: 'no known launch gives the block size, and the result differs between powers of two' };
  if (fn.allShapesKnown === false) return { why: 'a launch has a block size that depends on a run-time value' };
  const guessed = new Set(sweeps.flatMap(({ assumed }) => assumed));
  if (guessed.size)
    return { why: `it depends on the value of ${[...guessed].map((name) => `\`${name}\``).join(', ')}` };
  const { frame } = sweep;
  const first = sweep.statements[sweep.first]!;
  if (hasVaryingReturnBefore(first, fn)) return { why: 'some threads may have returned before it' };
  for (const site of fn.callSites ?? []) {
    if (site.args[0] && hasVaryingReturnBefore(site.args[0], fn.of(site.caller)))
      return { why: `some threads of \`${site.caller.name}\` may have returned before it` };
  }
  if (!sweep.run.blockBarriers && isUnderVarying(first, fn)) return { why: 'not all threads of the block reach it' };

  const threads = sweep.frame.threads;
  const counts = new Set(
    sweeps.map((one) =>
      one.run.count === one.frame.threads
        ? 'all'
        : one.run.count === 2 * one.frame.threads
          ? 'twice'
          : one.run.count < one.frame.threads
            ? `${one.run.count}`
            : 'odd',
    ),
  );
  if (counts.size !== 1) return { why: 'the known launches sweep different numbers of elements' };
  const extent = [...counts][0]!;
  if (extent === 'odd') return { why: `${sweep.run.count} elements do not divide evenly among ${threads} threads` };

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

  const source = file.text;
  const from = decl.base + region.start;
  const to = decl.base + region.end;
  const written = source.slice(from, to);
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
  const fresh = freshNamesOf(fn, undefined, region);
  const several = sweep.run.arrays.length > 1;
  const offset = fresh('offset');
  const body: string[] = [];
  const line = (level: number, text: string): void => {
    body.push(indent + step.repeat(level) + text);
  };
  const under = (level: number, head: string, statements: readonly string[]): void => {
    const isOne = statements.length === 1;
    line(level, `${head} ${isOne ? statements[0] : '{'}`);
    if (isOne) return;
    statements.forEach((text) => line(level + 1, text));
    line(level, '}');
  };
  const capital = (name: string): string => name.replace(/\W/g, '').replace(/^\w/, (letter) => letter.toUpperCase());
  const oneRoot = new Set(sweep.run.arrays.map((array) => array.root.key)).size === 1;
  const names = sweep.run.arrays.map((array) => {
    const root = oneRoot ? '' : capital(array.root.name);
    const suffix = several
      ? root +
        array.path
          .filter((part): part is string => typeof part === 'string')
          .map(capital)
          .join('')
      : '';
    return {
      total: fresh(`total${suffix}`),
      warpTotals: fresh(`warpTotals${suffix}`),
      other: () => fresh(`other${suffix}`),
      upper: () => fresh(`upper${suffix}`),
    };
  });
  const types = sweep.run.arrays.map((array) => elementTypeText(array, elementTypeOf(array, sweep.frame, 0), fn));
  const shuffle = (level: number): void => {
    const combines = sweep.run.arrays.map((array, position) =>
      combineText(
        array,
        names[position]!.total,
        `__shfl_down_sync(0xffffffff, ${names[position]!.total}, ${offset})`,
        types[position]!,
        names[position]!.other,
      ),
    );
    under(level, `for (int ${offset} = 16; ${offset} > 0; ${offset} >>= 1)`, combines.flat());
  };

  const ownPlaces = places.flatMap((place) => [
    place(bare(lane)),
    ...(extent === 'twice' ? [place(`${lane} + ${blockText}`)] : []),
    // The value in place of the missing elements of a shorter row may be another thread's.
    ...(extent === 'all' || extent === 'twice' ? [] : [place('0')]),
  ]);
  const around = aroundSweep(fn, sweeps, ownPlaces);

  const barrier = barrierText(sweep, fn);
  line(0, '{');
  const next = sweep.statements[sweep.last + 1];
  const replaced = withTrailingComment(fn, region);
  const comments = commentsOf(fn, sweep, replaced);
  sweep.run.arrays.forEach((_, position) =>
    line(1, `__shared__ ${types[position]} ${names[position]!.warpTotals}[32];`),
  );
  const previous = sweep.statements[sweep.first - 1];
  const hasMet = !!previous && isBlockBarrier(previous, frame);
  if (sweep.run.barrierFirst && around.needsBarrierBefore && !hasMet) line(1, barrier);
  sweep.run.arrays.forEach((array, position) => {
    const place = places[position]!;
    const partial = place(bare(lane));
    const idle = idleValue(array.operator, types[position]!, place('0'));
    const { total } = names[position]!;
    if (extent === 'all') line(1, `${types[position]} ${total} = ${partial};`);
    else if (extent === 'twice') {
      line(1, `${types[position]} ${total} = ${partial};`);
      const { upper } = names[position]!;
      combineText(array, total, place(`${lane} + ${blockText}`), types[position]!, upper).forEach((text) =>
        line(1, text),
      );
    } else line(1, `${types[position]} ${total} = ${lane} < ${extent} ? ${partial} : ${idle};`);
  });
  comments.warps.forEach((text) => line(1, text));
  shuffle(1);
  const leaders = sweep.run.arrays.map(
    (_, position) => `${names[position]!.warpTotals}[${lane} / 32] = ${names[position]!.total};`,
  );
  under(1, `if (${lane} % 32 == 0)`, leaders);
  comments.barrier.forEach((text) => line(1, text));
  line(1, barrier);
  comments.firstWarp.forEach((text) => line(1, text));
  line(1, `if (${lane} < 32) {`);
  sweep.run.arrays.forEach((array, position) =>
    line(
      2,
      `${names[position]!.total} = ${lane} < ${warps} ? ${names[position]!.warpTotals}[${bare(lane)}] ` +
        `: ${idleValue(array.operator, types[position]!, `${names[position]!.warpTotals}[0]`)};`,
    ),
  );
  shuffle(2);
  const last = sweep.run.arrays.map((array, position) => {
    const register = carried.get(array);
    return `${places[position]!('0')} = ${register ? `${register.name} = ` : ''}${names[position]!.total};`;
  });
  under(2, `if (${lane} == 0)`, last);
  line(1, '}');
  if (around.needsBarrierAfter && (!next || !isBlockBarrier(next, frame))) line(1, barrier);
  line(0, '}');

  const floating = sweep.run.arrays.some((array) => {
    const type = elementTypeOf(array, sweep.frame, 0);
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
  const statements = sweep.statements.slice(sweep.first, sweep.last + 1);
  const isIn = (node: AnySyntax): boolean => statements.some((stmt) => fn.isInside(node, stmt));
  const barrier = fn.locals.nodes.find(
    (node): node is Stmt => node.kind === 'expr' && isIn(node) && !hasMacro(node) && isBlockBarrier(node, sweep.frame),
  );
  const isOwn = some(barrier, (part) => {
    const variable = part.kind === 'name' ? fn.local(part)?.variable : undefined;
    return !!variable && isIn(variable);
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
  if (operator !== '+' && operator !== '|' && operator !== '^') return element;
  switch (type) {
    case 'float':
      return '0.0f';
    case 'double':
      return '0.0';
    case 'int':
      return '0';
    case 'unsigned':
    case 'unsigned int':
      return '0u';
    default:
      return shuffled.test(type) && !/half|bfloat/.test(type) ? '0' : `(${type})0`;
  }
}

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
  if (local?.variable && locals.order(local.variable) > locals.order(sweep.statements[sweep.first]!)) return undefined;
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
 * given it;
 * undefined when there is any other.
 */
function carriedVariables(sweep: CompleteSweep, fn: Fn): Map<SweptArray, Local> | undefined {
  const begin = fn.locals.order(sweep.statements[sweep.first]!);
  const end = lastOrder(sweep.statements[sweep.last]!, fn.locals);
  const carried = new Map<SweptArray, Local>();
  for (const local of fn.locals.all) {
    if (local.variable && fn.locals.order(local.variable) >= begin) continue;
    const written = local.writes.some((write) => {
      const order = fn.locals.order(write.node);
      return order >= begin && order <= end;
    });
    if (!written) continue;
    const loops = [...fn.around(sweep.statements[sweep.first]!)].filter(
      (node) => node.kind === 'for' || node.kind === 'while' || node.kind === 'do',
    );
    const outermost = loops[loops.length - 1];
    const later = local.uses.filter((use) => {
      const order = fn.locals.order(use);
      return order > end || (!!outermost && order >= fn.locals.order(outermost) && order < begin);
    });
    const next = later.filter((use) => fn.locals.order(use) > end);
    const reads = later.filter((use) => {
      const parent = fn.parent(use);
      return !(parent?.kind === 'assign' && parent.op === '=' && parent.target === use);
    });
    if (!reads.length) continue;
    // The next use overwrites it, and it is not carried around a loop.
    const firstUse = next[0];
    const parent = firstUse && fn.parent(firstUse);
    const rewritten = parent?.kind === 'assign' && parent.op === '=' && parent.target === firstUse;
    if (reads.every((use) => activeThreads(use, sweep.frame).every((on, thread) => thread === 0 || !on))) {
      const array = sweep.run.arrays.find((one) => sweep.run.carries(local, one));
      if (array && !carried.has(array)) {
        carried.set(array, local);
        continue;
      }
    }
    if (loops.length === 0 && rewritten) continue;
    return undefined;
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
