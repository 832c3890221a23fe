// Row per thread within a block: a stretch of statements in which each thread of the block walks a separate row and
// leaves its result. The warps of the block take the rows in turn; the launch stays as it is.
import type { Expr, Stmt } from '../../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../../model';
import {
  type Fn,
  startWithPragmas,
  calleeName,
  usesAxis,
  type Local,
  fixedPolynomial,
  type AnySyntax,
  walk,
  reachesMemory,
  some,
} from '../../language';
import { freshNamesOf } from '../writing/edits';
import {
  type Accumulator,
  accumulatorsOf,
  neutralText,
  rounds,
  shuffles,
  startsNeutral,
  warp,
} from '../iterations/accumulators';
import { subscriptsIn, type WalkingLoop, walkingLoopOf } from '../iterations/loops';
import { refuser } from '../writing/refusals';
import { hasMacro, hidesEffects, isBlockBarrier, isPure, isPureCall, leavings, rootOf } from '../../program';

const refused = refuser<'stretch' | 'block' | 'thread' | 'meeting' | 'memory' | 'carried'>('row-warps');

interface Stretch {
  readonly statements: readonly Stmt[];
  readonly walking: WalkingLoop;
  readonly accumulators: readonly Accumulator[];
  readonly stores: readonly Stmt[];
}

/**
 * The edits where `access` runs along a row of its thread in such a stretch; undefined where the loop around it stands
 * in no such stretch, so that the family does not apply.
 */
export function blockRowsOf(fn: Fn, access: Expr): RewriteFact | Refusal | undefined {
  const { decl, locals } = fn;
  if (!decl.global || !decl.body) return undefined;
  const list = decl.body.body;
  let top: AnySyntax | undefined = access;
  for (let up = locals.parent(top); up && up !== decl.body; up = locals.parent(up)) top = up;
  const at = list.indexOf(top as Stmt);
  const walking = at < 0 ? undefined : walkingLoopOf(list[at]!, fn);
  if (!walking || !walks(walking, fn)) return undefined;
  const accumulators = accumulatorsOf(walking, fn);
  if (typeof accumulators === 'string') return refused('carried', accumulators);
  const stretch = stretchOf(list, at, walking, accumulators, fn);
  if (typeof stretch === 'string') return refused('stretch', stretch);
  const shapes = fn.blockShapes;
  if (shapes.length === 0 || fn.allShapesKnown === false || shapes.some(([x, y, z]) => x % warp || y > 1 || z > 1))
    return refused('block', 'not every known block consists of whole warps in one dimension');
  const places = threadPlacesOf(stretch, fn);
  if (typeof places === 'string') return refused('thread', places);
  const meeting = meetingsOf(list, stretch);
  if (meeting) return refused('meeting', meeting);
  const memory = memoryOf(list, stretch, fn);
  if (memory) return refused('memory', memory);
  return written(stretch, places, fn);
}

/** Does a subscript in the loop run along a row whose number is the thread's in its block? */
function walks(walking: WalkingLoop, fn: Fn): boolean {
  return [...subscriptsIn(walking, fn)].some(({ node, factor }) => {
    const index = fn.index(node.index);
    const byThread = index?.split('threadIdx.x')?.factor;
    const pitch = byThread?.number;
    return factor === 1 && walking.step === 1 && !!byThread && (pitch === undefined || pitch > 1);
  });
}

/** The accumulators' declarations, the loop, and the statements that store what came of it. */
function stretchOf(
  list: readonly Stmt[],
  at: number,
  walking: WalkingLoop,
  accumulators: readonly Accumulator[],
  fn: Fn,
): Stretch | string {
  if (accumulators.length === 0) return 'the loop computes no sum';
  let first = at;
  const owned = new Set<Local>();
  for (const { local } of accumulators) {
    const declaration = local.variable && fn.parent(local.variable);
    const position = declaration ? list.indexOf(declaration as Stmt) : -1;
    if (position < 0 || position >= at) return `\`${local.name}\` is not a variable of this code`;
    first = Math.min(first, position);
    owned.add(local);
  }
  for (const stmt of list.slice(first, at)) {
    if (stmt.kind !== 'decl') return 'other statements are between its variables and the loop';
    for (const variable of stmt.vars) {
      if (!variable.init || !isPure(variable.init, fn)) return 'an initializer has side effects';
      const local = fn.locals.all.find((one) => one.variable === variable);
      if (local) owned.add(local);
    }
  }
  let last = at;
  const stores: Stmt[] = [];
  for (let next = at + 1; next < list.length; next++) {
    const stmt = list[next]!;
    const isStore =
      stmt.kind === 'expr' && stmt.expr.kind === 'assign' && stmt.expr.op === '=' && stmt.expr.target.kind === 'index';
    if (!isStore || !mentionsAny(stmt, owned, fn)) break;
    if (stmt.kind === 'expr' && stmt.expr.kind === 'assign' && !isPure(stmt.expr.value, fn))
      return 'the stored expression has side effects';
    stores.push(stmt);
    last = next;
  }
  if (stores.length === 0) return "the loop's result is not stored right after the loop";
  const statements = list.slice(first, last + 1);
  for (const local of owned)
    if (local.uses.some((use) => !statements.some((stmt) => fn.isInside(use, stmt))))
      return `\`${local.name}\` is used after it`;
  if (statements.some(hasMacro)) return 'it contains macros';
  return { statements, walking, accumulators, stores };
}

function mentionsAny(node: AnySyntax, wanted: ReadonlySet<Local>, fn: Fn): boolean {
  return some(node, (inner) => inner.kind === 'name' && wanted.has(fn.local(inner)!));
}

/** The names that are the thread's number in its block, each of which becomes the row; a sentence where one is not. */
function threadPlacesOf({ statements }: Stretch, fn: Fn): readonly Expr[] | string {
  const places: Expr[] = [];
  let why: string | undefined;
  for (const stmt of statements)
    walk(stmt, (node) => {
      if (node.kind === 'call' && !isPureCall(node, fn))
        why ??= `\`${calleeName(node) ?? 'a call'}\` may have side effects`;
      if (node.kind === 'member' && node.object.kind === 'name' && node.object.name === 'threadIdx') {
        if (node.field === 'x') places.push(node);
        else why ??= 'it uses another axis of the thread index';
        return false;
      }
      if (node.kind !== 'name') return true;
      const local = fn.local(node);
      if (!local) {
        if (node.name === 'threadIdx' || node.name === 'warpSize') why ??= 'it passes its thread index on';
        return true;
      }
      if (local.variable && statements.some((one) => fn.isInside(local.variable!, one))) return true;
      const definition = fn.definition(local);
      const value = definition && fn.index(definition);
      if (value?.equals(fixedPolynomial('threadIdx.x'))) places.push(node);
      else if (definition && (some(definition, reachesMemory) || usesAxis(definition, fn.decl, 'x', fn.program)))
        why ??= `\`${local.name}\` belongs to the thread`;
      else if (local.variable && local.writes.length > 0) why ??= `\`${local.name}\` changes before its use`;
      return true;
    });
  return why ?? places;
}

/** Whether all threads come to the stretch, and meet before others read what it stores. */
function meetingsOf(list: readonly Stmt[], { statements }: Stretch): string | undefined {
  const first = list.indexOf(statements[0]!);
  for (const stmt of list.slice(0, first)) {
    if (some(stmt, hidesEffects) || leavings(stmt).size > 0) return 'some threads may have exited before it';
  }
  const next = list[first + statements.length];
  return !next || isBlockBarrier(next) ? undefined : 'the threads do not synchronise after it';
}

/** Why another thread may not take a row: it would read what its owner alone has, or write what is read. */
function memoryOf(list: readonly Stmt[], { statements, stores }: Stretch, fn: Fn): string | undefined {
  for (const stmt of list.slice(0, list.indexOf(statements[0]!))) {
    const writes = (node: AnySyntax): boolean => {
      const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
      return target ? target.kind !== 'name' : node.kind === 'call' && !isPureCall(node, fn) && !isBlockBarrier(stmt);
    };
    if (some(stmt, writes)) return 'memory is written before it';
  }
  const stored = stores.map(
    (stmt) => stmt.kind === 'expr' && stmt.expr.kind === 'assign' && rootOf(stmt.expr.target, fn.locals),
  );
  for (const stmt of statements) {
    let why: string | undefined;
    walk(stmt, (node) => {
      const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
      if (target && target.kind !== 'name' && !stores.includes(stmt)) why = 'it writes to memory in the loop';
      if (node.kind !== 'index' || (fn.parent(node)?.kind === 'assign' && isTarget(node, fn))) return;
      const root = rootOf(node, fn.locals);
      if (root === undefined || stored.includes(root)) why = 'it reads the values that it stores';
    });
    if (why) return why;
  }
  return undefined;
}

function isTarget(node: AnySyntax, fn: Fn): boolean {
  const parent = fn.parent(node);
  return parent?.kind === 'assign' && parent.target === node;
}

function written({ statements, walking, accumulators, stores }: Stretch, places: readonly Expr[], fn: Fn): RewriteFact {
  const { decl, file } = fn;
  const fresh = freshNamesOf(fn);
  const lane = fresh('lane');
  const row = fresh('row') === 'row' ? 'row' : fresh('warpRow');
  const newline = fn.newline;
  const [from, to] = [statements[0]!, statements.at(-1)!];
  const indent = fn.indent(from.start);
  const unit = fn.indentStep;
  const edits: Edit[] = places.map((place) => ({ at: fn.span(place), newText: row }));
  const { start, stepAt, variable, loop } = walking;
  const isZero = start.kind === 'number' && start.value === 0 && !start.macro;
  edits.push({ at: fn.span(start), newText: isZero ? lane : `${fn.text(start)} + ${lane}` });
  edits.push({ at: fn.span(stepAt), newText: `${variable.name} += ${warp}` });
  const insert = (at: number, newText: string): void => {
    edits.push({ at: fn.span({ start: at, end: at }), newText });
  };
  const loopStart = startWithPragmas(loop);
  const resets = accumulators
    .filter((one) => !startsNeutral(one, loop, fn))
    .map((one) => `if (${lane} != 0) ${one.local.name} = ${neutralText(one)!};${newline}${indent}`);
  insert(
    loop.end,
    shuffles(accumulators, fresh, unit)
      .map((line) => `${newline}${indent}${line}`)
      .join(''),
  );
  if (loopStart !== from.start && resets.length > 0) insert(loopStart, resets.join(''));
  for (const store of stores) insert(store.start, `if (${lane} == 0) `);

  // The stretch is written as one piece, a level deeper.
  const base = decl.base + startWithPragmas(from);
  let piece = file.text.slice(base, decl.base + to.end);
  for (const edit of [...edits].sort((a, b) => b.at.start - a.at.start || b.at.end - a.at.end))
    piece = piece.slice(0, edit.at.start - base) + edit.newText + piece.slice(edit.at.end - base);
  const deeper = piece
    .split(/\r?\n/)
    .map((line, at) => (at > 0 && line.trim() !== '' && !line.startsWith('#') ? unit + line : line))
    .join(newline);
  const text = [
    `const int ${lane} = threadIdx.x % ${warp};`,
    `for (int ${row} = threadIdx.x / ${warp}; ${row} < blockDim.x; ${row} += blockDim.x / ${warp}) {`,
    unit + deeper,
    '}',
  ].join(newline + indent);
  const reassociated = accumulators.some((one) => rounds(one, fn));
  return {
    edits: [{ at: { uri: file.uri, start: base, end: decl.base + to.end }, newText: text }],
    title: `One warp of the block per row${reassociated ? ' (changes rounding)' : ''}`,
  };
}
