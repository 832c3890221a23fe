// The edits that make a loop over a chunk a grid-stride loop.
import type { Expr, ForStmt, WhileStmt } from '../../../syntax/ast';
import {
  type AnySyntax,
  some,
  type Fn,
  type Local,
  constantPolynomial,
  isStable,
  type Index,
  wholePolynomial,
} from '../../language';
import type { Edit, Span } from '../../model';
import { deletionOf } from '../writing/edits';
import type { ChunkLaunch } from '../writing/family';
import { at, evaluate, type Frame } from '../reductions/frame';
import { type Chunk, type Header, threadsOfBlock } from './shape';
import { hasMacro, isPureCall } from '../../program';

/** The loop without its body, as written. */
export function headOf(loop: ForStmt | WhileStmt, fn: Fn): { readonly at: Span; readonly text: string } {
  const text = fn
    .text({
      start: loop.start,
      end: loop.kind === 'for' ? loop.headerEnd : loop.body.start,
    })
    .trimEnd();
  return { text, at: fn.span({ start: loop.start, end: loop.start + text.length }) };
}

export function rewrite(header: Header, chunk: Chunk, fn: Fn, launches: readonly ChunkLaunch[]): Edit[] | undefined {
  const { loop } = header;
  if (hasMacro(header.start) || hasMacro(header.step) || (header.cond.macro ?? false) || loop.macro) return undefined;
  const [thread, stride] = textsOf(chunk.threads, loop, fn);
  const variable = header.variable.name;
  const limitTexts = chunk.limits.map((limit) =>
    limit.macro && limit.kind !== 'number' ? undefined : fn.text(limit).trim(),
  );
  if (limitTexts.some((text) => text === undefined)) return undefined;
  const conditions = limitTexts.map((text, at) => `${variable} < ${bracketed(text!, chunk.limits[at]!)}`);
  if (!chunk.whole && !chunk.limits.some((limit) => covers(limit, chunk, fn, launches))) {
    const factor = /^[\w.]+$|^\(.*\)$/.test(chunk.sizeExpr) ? chunk.sizeExpr : `(${chunk.sizeExpr})`;
    conditions.push(`${variable} < ${factor} * ${/[+-]/.test(stride) ? `(${stride})` : stride}`);
  }
  const newCond = conditions.join(' && ');
  const newStep = `${variable} += ${stride}`;
  const edits: Edit[] = [];
  const head = headOf(loop, fn);
  let newHeader: string;
  if (loop.kind === 'for') {
    newHeader = splice(head.text, loop.start, [
      [header.start.start, header.start.end, thread],
      [loop.cond!.start, loop.cond!.end, newCond],
      [header.step.start, header.step.end, newStep],
    ]);
  } else {
    newHeader = splice(head.text, loop.start, [[loop.cond.start, loop.cond.end, newCond]]);
    edits.push({ at: fn.span(header.start), newText: thread }, { at: fn.span(header.step), newText: newStep });
  }
  edits.push(
    ...tidied(loop, [header.start, header.cond, header.step], [newHeader, ...edits.map((edit) => edit.newText)], fn),
  );
  return [{ at: head.at, newText: newHeader }, ...edits];
}

function bracketed(text: string, expr: Expr): string {
  return expr.kind === 'conditional' || (expr.kind === 'binary' && !/^[*/%+-]$/.test(expr.op)) ? `(${text})` : text;
}

function splice(text: string, offset: number, pieces: readonly (readonly [number, number, string])[]): string {
  let out = text;
  for (const [start, end, newText] of [...pieces].sort((left, right) => right[0] - left[0]))
    out = out.slice(0, start - offset) + newText + out.slice(end - offset);
  return out;
}

/** The number of a thread and how many they are, as written in the loop's head: by a variable where one holds it. */
export function textsOf(
  { number, count, numberText, countText }: Chunk['threads'],
  loop: AnySyntax,
  fn: Fn,
): readonly [string, string] {
  return [nameFor(number, loop, fn) ?? numberText, nameFor(count, loop, fn) ?? countText];
}

/** A variable in scope before the loop that holds the value. */
function nameFor(value: Index, loop: AnySyntax, fn: Fn): string | undefined {
  const scopes = new Set<AnySyntax>(fn.around(loop));
  for (const local of fn.locals.all) {
    if (
      !local.variable?.init ||
      !isStable(local) ||
      !local.scope ||
      !scopes.has(local.scope) ||
      fn.locals.order(local.variable) > fn.locals.order(loop)
    )
      continue;
    if (fn.locals.all.some((other) => other !== local && other.name === local.name)) continue;
    const type = fn.types.resolve(local.variable.type);
    if (type.kind !== 'unknown' && !(type.kind === 'scalar' && !type.float && type.size >= 4)) continue;
    const held = fn.index(local.variable.init);
    if (held?.equals(value)) return local.name;
  }
  return undefined;
}

/**
 * Do the chunks of all threads reach `limit`, so that cutting at it alone covers what they covered? By a ceil-division
 * of the limit by the number of threads, or by the numbers of every known launch.
 */
function covers(limit: Expr, { start, size, threads }: Chunk, fn: Fn, launches: readonly ChunkLaunch[]): boolean {
  const end = fn.index(limit);
  if (!end) return false;
  if (size.equals(wholePolynomial(end.plus(threads.count).plus(constantPolynomial(-1)), '/', threads.count)))
    return true;
  const isCovered = ({ gridX, blockX, values: launchValues }: ChunkLaunch): boolean => {
    if (blockX === undefined) return false;
    const frame: Frame = { context: fn, shape: [blockX, 1, 1], threads: blockX, block: 0, launchValues, grid: gridX };
    const [first = NaN, extent] = [start, limit].map((expr) => evaluate(expr, frame));
    const each = size.number ?? at(first, 1) - at(first, 0);
    const count = threads === threadsOfBlock ? blockX : (gridX ?? NaN) * blockX;
    return typeof extent === 'number' && each * count >= extent && extent + count < 2 ** 31;
  };
  return launches.length > 0 && launches.every(isCovered);
}

/** Removes the locals that only the old bounds used. */
export function tidied(loop: AnySyntax, replaced: readonly Expr[], newTexts: readonly string[], fn: Fn): Edit[] {
  const removed = new Set<Local>();
  const out: Edit[] = [];
  const newText = newTexts.join(' ');
  const gone = (node: AnySyntax): boolean => {
    for (let at: AnySyntax | undefined = node; at; at = fn.parent(at)) {
      if (replaced.some((each) => each === at)) return true;
      if (at.kind === 'var') return [...removed].some((local) => local.variable === at);
    }
    return false;
  };
  for (let again = true; again; ) {
    again = false;
    for (const local of fn.locals.all) {
      if (removed.has(local) || !local.variable?.init || local.writes.length || !local.uses.length) continue;
      if (!local.uses.every(gone) || new RegExp(`\\b${local.name}\\b`).test(newText)) continue;
      const statement = fn.parent(local.variable);
      if (
        statement?.kind !== 'decl' ||
        statement.vars.length !== 1 ||
        statement.macro ||
        statement.pragmas?.length ||
        fn.locals.order(statement) > fn.locals.order(loop)
      )
        continue;
      const pure = !some(
        local.variable.init,
        (node) =>
          node.kind === 'assign' ||
          node.kind === 'update' ||
          node.kind === 'index' ||
          (node.kind === 'call' && !isPureCall(node, fn)),
      );
      if (!pure) continue;
      removed.add(local);
      out.push(deletionOf(fn, statement));
      again = true;
    }
  }
  return out;
}
