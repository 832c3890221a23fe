// Waits of the host that nothing needs: a `wait` on each iteration of a loop, and regions in a row that have nothing to
// do with one another.
import { spanIn } from '../../span';
import type { LoopStep, RegionStep, Step } from '../../../syntax/procedures';
import { flowOf, type Flow, type Touch } from '../analysis/dataflow';
import { hasClause, hostLoops, isInside, isWithin } from '../analysis/paths';
import { addClause, lineAfter, removeLines, withFix } from './directiveEdits';
import type { AccWaitFact } from '../model';
import { constructOf } from '../analysis/regions';
import { headOf, variableAt, type Scope } from '../analysis/scope';
import { listsOf, stepsIn } from '../analysis/steps';
import { isLibraryClock } from '../../language';
import { transfersOf } from '../analysis/transfers';
import { queueOf } from './unwaited';

/** The needless waits of one procedure. */
export function waitsOf(scope: Scope): readonly AccWaitFact[] {
  const flow = flowOf(scope);
  return flow.gotos ? [] : [...waitsInLoops(scope, flow), ...rowsOfRegions(scope, flow)];
}

function waitsInLoops(scope: Scope, flow: Flow): AccWaitFact[] {
  const { file } = scope;
  return flow.directives.flatMap(({ step, parents }): AccWaitFact[] => {
    const loop = hostLoops(parents).at(-1);
    if (step.directive.name !== 'wait' || !loop || parents.at(-1) !== loop) return [];
    if (hasClause(step.directive, /^(if|async)$/)) return [];
    const inside = stepsIn(loop.body);
    const regions = inside.filter((each): each is RegionStep => each.kind === 'region');
    const compute = regions.filter((each) => constructOf(each.directive));
    if (
      !compute.length ||
      regions.some((each) => /data/.test(each.directive.name)) ||
      inside.some((each) => each.kind === 'directive' && each !== step)
    )
      return [];
    const touches = flow.touches.filter((touch) => isInside(touch, loop));
    // One queue keeps the order by itself.
    const [queue, ...others] = new Set(compute.map(({ directive }) => queueOf(directive)));
    if (queue === undefined || others.length > 0) return [];
    const names: readonly string[] = queue.match(/[A-Za-z_]\w*/g) ?? [];
    if (touches.some(({ mode, region, path }) => mode === 'write' && !region && names.includes(path.toLowerCase())))
      return [];
    if (
      flow.calls.some(
        (call) => isInside(call, loop) && !call.region && (!call.harmless || isLibraryClock(call.call.name)),
      )
    )
      return [];
    // A clock around the loop measures the work; one wait after it serves as well. Whatever the host touches of it has
    // to wait.
    const onDevice = touches.filter((touch) => touch.region);
    const onHost = touches.filter((touch) => !touch.region);
    const isNeeded = (host: Touch, device: Touch): boolean =>
      host.form === 'scalar'
        ? host.mode === 'read' && device.mode === 'write' && device.path === host.path
        : flow.mayMeet(host.path, device.path);
    if (onHost.some((host) => onDevice.some((device) => isNeeded(host, device)))) return [];
    if (transfersOf(scope).some((transfer) => compute.includes(transfer.region))) return [];
    const text = file.text.slice(step.directive.nameAt.start, step.directive.end);
    return [
      {
        kind: 'acc-wait',
        form: 'wait-in-loop',
        at: spanIn(file, step.directive),
        regions: compute.map((each) => spanIn(file, each.directive)),
        loopText: headOf(file, loop),
        ...withFix(
          'Wait once, after the loop (the host runs ahead of the GPU)',
          removeLines(file, step.directive),
          /[\n\\]/.test(text) ? undefined : lineAfter(file, loop, text),
        ),
      },
    ];
  });
}

/**
 * Two or more compute constructs in a row inside a host loop, each without a queue: what shares no array that one of
 * them writes may overlap, and the rest needs no host in between.
 */
function rowsOfRegions(scope: Scope, flow: Flow): AccWaitFact[] {
  const facts: AccWaitFact[] = [];
  const moved = new Set(transfersOf(scope).map((transfer) => transfer.region));
  const visit = (steps: readonly Step[], loop: LoopStep | undefined): void => {
    for (let from = 0; from < steps.length; from++) {
      const run: RegionStep[] = [];
      for (const step of loop ? steps.slice(from) : []) {
        if (step.kind !== 'region' || !canQueue(scope, flow, step, moved)) break;
        run.push(step);
      }
      const isFree = run.every((step, at) => run.slice(0, at).every((other) => apart(flow, other, step)));
      // Whatever else the loop does may want the results.
      const whole = loop && onlyStepsOf(loop).length === run.length ? loop : undefined;
      if (run.length > 1 && (isFree || whole)) {
        facts.push(rowFact(scope, run, isFree ? undefined : whole));
        from += run.length - 1;
        continue;
      }
      const step = steps[from]!;
      if (step.kind === 'region' && constructOf(step.directive)) continue;
      for (const list of listsOf(step)) visit(list, step.kind === 'loop' ? step : loop);
    }
  };
  visit(scope.procedure.body, undefined);
  return facts;
}

function canQueue(scope: Scope, flow: Flow, step: RegionStep, moved: ReadonlySet<RegionStep>): boolean {
  if (
    !constructOf(step.directive) ||
    moved.has(step) ||
    hasClause(step.directive, /^(async|wait|if|self|reduction|copy|copyin|copyout)$/)
  )
    return false;
  if (flow.calls.some((call) => call.region === step && !call.harmless && !call.callee)) return false;
  const touches = flow.touches.filter((touch) => touch.region === step);
  // A scalar that it writes is needed after it.
  return (
    touches.some((touch) => touch.form !== 'scalar') &&
    !touches.some((touch) => touch.mode === 'write' && touch.form === 'scalar' && isSharedScalar(scope, step, touch))
  );
}

function isSharedScalar(scope: Scope, region: RegionStep, touch: Touch): boolean {
  const variable = variableAt(scope, touch.path, touch.at.start);
  return !(variable && isWithin(variable, region)) && touch.op !== undefined;
}

function apart(flow: Flow, a: RegionStep, b: RegionStep): boolean {
  const [first, second] = [a, b].map((region) =>
    flow.touches.filter((touch) => touch.region === region && touch.form !== 'scalar'),
  ) as [Touch[], Touch[]];
  return !first.some((one) =>
    second.some((other) => (one.mode === 'write' || other.mode === 'write') && flow.mayMeet(one.path, other.path)),
  );
}

/** A row of regions: each in a separate queue, or all in one where the loop holds nothing else. */
function rowFact(scope: Scope, run: readonly RegionStep[], loop: LoopStep | undefined): AccWaitFact {
  const { file } = scope;
  return {
    kind: 'acc-wait',
    form: loop ? 'dependent-regions' : 'independent-regions',
    at: spanIn(file, run[0]!.directive),
    regions: run.slice(1).map(({ directive }) => spanIn(file, directive)),
    ...(loop && { loopText: headOf(file, loop) }),
    ...withFix(
      loop ? 'Use one queue and wait after the loop' : 'Use one queue per region and wait once (regions overlap)',
      ...run.map((step, at) => addClause(file, step.directive, `async(${loop ? 1 : at + 1})`)),
      lineAfter(file, loop ?? run.at(-1)!, loop ? 'wait(1)' : 'wait'),
    ),
  };
}

/** The steps of a loop through a block around them. */
function onlyStepsOf({ body }: LoopStep): readonly Step[] {
  const [first] = body;
  return body.length === 1 && first?.kind === 'block' ? first.body : body;
}
