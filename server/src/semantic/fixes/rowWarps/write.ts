// Writes the edits that give a row to a warp: in the kernel its row number, the shared loops, shuffles after them and
// one lane that writes; at the launches 32 times the threads.
import type { Expr, Stmt } from '../../../syntax/ast';
import type { Edit, RewriteFact } from '../../model';
import { type Fn, type LaunchSite, isConditionLoop, deepened, writtenAround } from '../../language';
import { deletionOf, freshNamesOf } from '../writing/edits';
import { extentOf, timesBlocks } from '../launchShapes/launchGrids';
import {
  type Accumulator,
  accumulatorsOf,
  neutralText,
  rounds,
  scopeOf,
  shuffles,
  startsNeutral,
  warp,
} from '../iterations/accumulators';
import type { WalkingLoop } from '../iterations/loops';
import { type MemoryWrite, printed, readsOf } from '../iterations/memory';
import type { NumberPlaces } from '../threadNumbers/rows';
import { mayOverlap, type Root } from '../../program';

/** What the edits rest on, once every precondition holds. */
export interface Plan {
  readonly places: NumberPlaces;
  readonly sites: readonly LaunchSite[];
  readonly shared: readonly WalkingLoop[];
  readonly writes: readonly MemoryWrite[];
  readonly wholeWarps: boolean;
  /** Loops over the grid take what fewer rows at a time leave: the launch need not change. */
  readonly strides: boolean;
}

/** What a block becomes where its size is not known to be whole warps. */
const usualBlock = 256;

/** Statements from `from` to `to` of one list, and the lines that come before and after them. */
interface Surrounded {
  readonly from: Stmt;
  readonly to: Stmt;
  readonly before: string[];
  /** Stands directly before the statement. */
  prefix: string;
  readonly after: string[];
}

export function writeRowWarps(plan: Plan, fn: Fn): RewriteFact {
  const { places, sites, shared, writes, wholeWarps, strides } = plan;
  const keepsLaunch = wholeWarps && strides;
  const fresh = freshNamesOf(fn);
  const lane = fresh('lane');
  const edits: Edit[] = [];
  const at = (start: number, end = start): Edit['at'] => fn.span({ start, end });
  const bodyIndent = fn.indent(fn.decl.body!.body[0]!.start);
  const unit = fn.indentStep;

  for (const number of places.numbers)
    edits.push({ at: fn.span(number), newText: `blockIdx.x * (blockDim.x / ${warp}) + threadIdx.x / ${warp}` });
  for (const total of places.totals) {
    const text = `gridDim.x * (blockDim.x / ${warp})`;
    const parent = fn.parent(total);
    edits.push({
      at: fn.span(total),
      newText: parent?.kind === 'binary' && parent.op !== '+' ? `(${text})` : text,
    });
  }
  for (const part of places.parts) {
    const statement = part.variable && fn.parent(part.variable);
    if (statement?.kind === 'decl' && statement.vars.length === 1) edits.push(deletionOf(fn, statement));
  }

  const surrounded = new Map<Stmt, Surrounded>();
  const around = (from: Stmt, before: readonly string[], after: readonly string[], to = from): Surrounded => {
    const one = surrounded.get(from) ?? { from, to, before: [], prefix: '', after: [] };
    surrounded.set(from, one);
    one.before.push(...before);
    one.after.push(...after);
    return one;
  };

  const combined = new Map<Stmt, Accumulator[]>();
  for (const walking of shared) {
    const { start, stepAt, step, variable } = walking;
    const lanes = step === 1 ? lane : `${lane} * ${step}`;
    const startText = fn.text(start);
    const isZero = start.kind === 'number' && start.value === 0 && !start.macro;
    edits.push({ at: fn.span(start), newText: isZero ? lanes : `${summand(start, startText)} + ${lanes}` });
    edits.push({ at: fn.span(stepAt), newText: `${variable.name} += ${warp * step}` });
    const accumulators = accumulatorsOf(walking, fn);
    if (typeof accumulators === 'string') continue;
    for (const accumulator of accumulators) {
      const scope = scopeOf(accumulator, walking, shared, fn);
      const known = combined.get(scope) ?? [];
      if (!known.some(({ local }) => local === accumulator.local)) known.push(accumulator);
      combined.set(scope, known);
    }
  }
  for (const [scope, accumulators] of combined) {
    const before = accumulators
      .filter((accumulator) => !startsNeutral(accumulator, scope, fn))
      .map((accumulator) => `if (${lane} != 0) ${accumulator.local.name} = ${neutralText(accumulator)!};`);
    around(scope, before, shuffles(accumulators, fresh, unit));
  }

  // Arrays that are written and read: the lanes meet before one writes what others have yet to read, and before they
  // read what one wrote.
  const meetingsOf = (group: readonly MemoryWrite[], part: Stmt, end: Stmt): { before: string[]; after: string[] } => {
    const reads = group
      .filter(({ root }) => root !== printed)
      .flatMap((write) =>
        [...rootsOf(write)].flatMap((root) => readsOf(root, part === end ? part : write.statement, fn)),
      )
      // One lane writes them all.
      .filter((read) => part === end || !group.some(({ target }) => target === read));
    const around = [...fn.around(part)].filter(isConditionLoop);
    const again = reads.some((read) => around.some((loop) => fn.isInside(read, loop)));
    const text = ['__syncwarp();'];
    return {
      before: again || reads.some((read) => fn.locals.order(read) < fn.locals.order(part)) ? text : [],
      after: again || reads.some((read) => fn.locals.order(read) > fn.locals.order(end)) ? text : [],
    };
  };
  const rootsOf = (write: MemoryWrite): Set<Root> =>
    new Set<Root>([
      write.root,
      ...fn.locals.all.filter(
        (local) => local.parameter?.type.kind === 'pointer' && mayOverlap(local, write.root, sites, fn),
      ),
    ]);
  for (const { loop } of shared) {
    const inside = writes.filter(({ statement }) => fn.isInside(statement, loop));
    if (inside.length === 0) continue;
    const { before, after } = meetingsOf(inside, loop, loop);
    around(loop, before, after);
  }
  const lonely = writes.filter(({ statement }) => !shared.some(({ loop }) => fn.isInside(statement, loop)));
  for (const group of neighbours(lonely, fn)) {
    const [from, to] = [group[0]!.statement, group.at(-1)!.statement];
    const { before, after } = meetingsOf(group, from, to);
    if (group.length === 1) around(from, before, after).prefix = `if (${lane} == 0) `;
    else {
      around(from, [...before, `if (${lane} == 0) {`], ['}', ...after], to).prefix = unit;
      edits.push(...deepened(fn, { start: from.start, end: to.end }));
    }
  }
  // Two meetings with nothing between them are one.
  for (const one of surrounded.values()) {
    const siblings = fn.parent(one.from);
    const next = siblings?.kind === 'block' ? siblings.body[siblings.body.indexOf(one.to) + 1] : undefined;
    const follower = next && surrounded.get(next);
    if (one.after.at(-1) === '__syncwarp();' && follower?.before[0] === '__syncwarp();') one.after.pop();
  }

  // Of statements that end at one place the inner one begins later, and its lines come first.
  for (const one of [...surrounded.values()].sort((a, b) => b.from.start - a.from.start))
    edits.push(...writtenAround(fn, one.from, one, one.to));
  const body = fn.decl.body!;
  const laneText = `const int ${lane} = threadIdx.x % ${warp};`;
  // Beside the row's number, below what is said of the kernel, unless something before it asks for the lane.
  const numbered = body.body.find((stmt) => places.numbers.some((number) => fn.isInside(number, stmt)));
  const isFirst =
    numbered?.kind === 'decl' &&
    !shared.some(({ loop }) => fn.locals.order(loop) < fn.locals.order(numbered)) &&
    !writes.some(({ statement }) => fn.locals.order(statement) < fn.locals.order(numbered));
  if (isFirst) edits.push({ at: at(numbered.start), newText: `${laneText}${fn.newline}${bodyIndent}` });
  else edits.push({ at: at(body.start + 1), newText: `${fn.newline}${bodyIndent}${laneText}` });

  const reassociated = [...combined.values()].flat().some((one) => rounds(one, fn));
  return {
    edits: [...joined(edits), ...(keepsLaunch ? [] : launchEdits(sites, wholeWarps))],
    title:
      `One warp per row${keepsLaunch ? '' : `, ${warp}× threads`}` + `${reassociated ? ' (changes rounding)' : ''}`,
  };
}

/** Writes that stand one after the other in one block. */
function neighbours(writes: readonly MemoryWrite[], fn: Fn): MemoryWrite[][] {
  const groups: MemoryWrite[][] = [];
  for (const write of writes) {
    const last = groups.at(-1);
    const before = last?.at(-1)?.statement;
    const parent = fn.parent(write.statement);
    const follows =
      before &&
      parent?.kind === 'block' &&
      fn.parent(before) === parent &&
      parent.body.indexOf(write.statement) === parent.body.indexOf(before) + 1;
    if (last && follows) last.push(write);
    else groups.push([write]);
  }
  return groups;
}

function launchEdits(sites: readonly LaunchSite[], wholeWarps: boolean): readonly Edit[] {
  if (wholeWarps) return timesBlocks(sites, warp)!;
  const rows = usualBlock / warp;
  return sites.flatMap((site) => {
    const [grid, block] = [extentOf(site, 0)!, extentOf(site, 1)!];
    return [grid.withX(`(${grid.x} * ${block.x} + ${rows - 1}) / ${rows}`), block.withX(String(usualBlock))];
  });
}

function summand(expr: Expr, text: string): string {
  return expr.kind === 'conditional' || (expr.kind === 'binary' && !/^[*/%+-]$/.test(expr.op)) ? `(${text})` : text;
}

/** Insertions at one place become one edit, in their order. */
function joined(edits: readonly Edit[]): Edit[] {
  const out: Edit[] = [];
  for (const edit of edits) {
    const same = out.findIndex(
      ({ at }) => edit.at.start === edit.at.end && at.start === edit.at.start && at.end === edit.at.end,
    );
    if (same < 0) out.push(edit);
    else out[same] = { at: edit.at, newText: out[same]!.newText + edit.newText };
  }
  return out;
}
