// `update` directives on each iteration of a host loop whose data nothing in the loop asks for.
import { spanIn } from '../../span';
import type { ClauseItem, DirectiveStep, LoopStep, Step } from '../../../syntax/procedures';
import { dataRegions, hasClause, hostLoops, isWithin, itemPath, itemsOf, namedBy } from '../analysis/paths';
import { flowOf, type Flow, type Touch } from '../analysis/dataflow';
import { lineAfter, lineBefore, removeLines, standsInList, withFix } from './directiveEdits';
import type { AccUpdateFact } from '../model';
import { hasUnknownCalls, touchesIn } from '../analysis/transfers';
import { mentionsChanging } from './repeatedTransfers';
import { headOf, type Scope } from '../analysis/scope';

/**
 * The needless updates of one procedure: to the host where it does not read in the loop, to the GPU where the host does
 * not write in it; whole arrays of which the host reads single elements.
 */
export function needlessUpdatesOf(scope: Scope): readonly AccUpdateFact[] {
  const flow = flowOf(scope);
  if (flow.gotos) return [];
  const whole = flow.directives.flatMap((placed) => wholeArrays(scope, flow, placed));
  const inLoops = flow.directives.flatMap(({ step, parents }) => {
    const loop = hostLoops(parents).at(-1);
    if (step.directive.name !== 'update' || !loop || hasClause(step.directive, /^if$/)) return [];
    const between = parents.slice(parents.indexOf(loop) + 1);
    // Under a condition it may be what the condition is for; in a data region of the loop it cannot leave it.
    if (between.some((parent) => parent.kind === 'if' || parent.kind === 'other') || dataRegions(between).length)
      return [];
    return inDirective(scope, flow, step, loop);
  });
  return [...whole, ...inLoops];
}

/** Whole arrays to the host, which reads single elements of them before the GPU sets them again. */
function wholeArrays(scope: Scope, flow: Flow, { step, parents }: Flow['directives'][number]): AccUpdateFact[] {
  if (step.directive.name !== 'update' || hasClause(step.directive, /^(if|async)$/)) return [];
  return itemsOf(step.directive, /^(host|self)$/).flatMap((item): AccUpdateFact[] => {
    const { path, variable } = namedBy(scope, item) ?? {};
    if (!path || !variable?.dimensions || item.value?.kind !== 'name') return [];
    const later = flow.touches.filter((touch) => touch.step.start > step.end && flow.mayMeet(path, touch.path));
    const end = later.findIndex((touch) => touch.region && touch.mode === 'write' && touch.path === path);
    const set = later[end]?.region;
    const reads = later.slice(0, Math.max(end, 0)).filter((touch) => !touch.region);
    const all = flow.touches.filter(
      (touch) => !touch.region && touch.form !== 'update' && touch.mode === 'read' && flow.mayMeet(path, touch.path),
    );
    // As often as the update, and before what sets it, which runs wherever the update does.
    const isOnce = ({ form, mode, parents: around }: Touch): boolean =>
      form === 'element' && mode === 'read' && around.every((each) => each.kind !== 'loop' || parents.includes(each));
    const isAround = flow.regions.some(
      (region) => region.step === set && region.parents.every((each) => parents.includes(each)),
    );
    const isSeen = flow.calls.some(
      (call) => !call.region && !call.harmless && call.step.start > step.end && call.step.end < (set?.start ?? 0),
    );
    if (!set || !isAround || isSeen || all.length === 0 || all.length > reads.length || !reads.every(isOnce)) return [];
    const elements = [...new Set(reads.map(({ at }) => scope.file.text.slice(at.start, at.end)))];
    const { file } = scope;
    const places = { at: spanIn(file, item), loopAt: spanIn(file, set.directive), wholeLoopAt: spanIn(file, set) };
    return [
      { kind: 'acc-update', array: itemPath(item)!, to: 'host', elements, ...places, loopText: set.directive.name },
    ];
  });
}

function inDirective(scope: Scope, flow: Flow, step: DirectiveStep, loop: LoopStep): AccUpdateFact[] {
  const { file } = scope;
  const { directive } = step;
  const items = directive.clauses.flatMap((clause) =>
    /^(host|self|device)$/.test(clause.name)
      ? (clause.argument?.items ?? []).map((item) => ({
          item,
          to: clause.name === 'device' ? ('device' as const) : ('host' as const),
        }))
      : [],
  );
  const needless = items.filter(({ item, to }) => isNeedless(scope, flow, item, to, loop, step));
  // A directive moves as a whole, and not one that a queue orders.
  const all =
    needless.length === items.length &&
    new Set(needless.map(({ to }) => to)).size === 1 &&
    !hasClause(directive, /^(async|wait)$/);
  const text = file.text.slice(directive.nameAt.start, directive.end);
  const single = !/[\n\\]/.test(text);
  return needless.map(({ item, to }): AccUpdateFact => {
    const moved = to === 'host' ? lineAfter : lineBefore;
    return {
      kind: 'acc-update',
      at: spanIn(file, item),
      array: itemPath(item)!,
      to,
      loopAt: spanIn(file, loop.header),
      wholeLoopAt: spanIn(file, loop),
      loopText: headOf(file, loop),
      ...(all && single && standsInList(file, loop) && item === needless[0]!.item
        ? withFix(
            to === 'host'
              ? 'Move the update after the loop (host copy is stale until then)'
              : 'Move the update before the loop (GPU keeps the initial values)',
            removeLines(file, directive),
            moved(file, loop, text),
          )
        : {}),
    };
  });
}

function isNeedless(
  scope: Scope,
  flow: Flow,
  item: ClauseItem,
  to: 'host' | 'device',
  loop: LoopStep,
  step: Step,
): boolean {
  const { path, variable } = namedBy(scope, item) ?? {};
  if (!path || !variable || (item.value && mentionsChanging(scope, item.value, loop))) return false;
  if (variable.role === 'local' && isWithin(variable, loop)) return false;
  const inLoop = touchesIn(scope, path, loop).filter((touch) => touch.step !== step);
  if (inLoop.some((touch) => touch.mode === 'write' && touch.form === 'pointer')) return false;
  // Other updates are among them: `update device` reads the host's copy, `update self` writes it.
  const onHost = inLoop.filter((touch) => !touch.region && !touch.device);
  if (
    onHost.some(
      (touch) =>
        touch.form === 'pointer' || touch.form === 'argument' || touch.mode === (to === 'host' ? 'read' : 'write'),
    )
  )
    return false;
  if (to === 'device' && inLoop.some((touch) => (touch.region || touch.device) && touch.mode === 'write')) return false;
  // Unknown calls may change it, unless no other code can name it.
  const isHidden = variable.role === 'local' && flow.aliases(path).size === 1;
  return isHidden || !hasUnknownCalls(scope, loop);
}
