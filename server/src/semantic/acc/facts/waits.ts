// Waits of the host that nothing needs: a `wait` on each iteration of a loop, and regions in a row that have nothing to
// do with one another.
import { spanIn } from '../../span';
import type { RegionStep, Step } from '../../../syntax/procedures';
import { flowOf, type Flow, type Touch } from '../analysis/dataflow';
import { isWithin, hostLoops, isInside, isPartOf } from '../analysis/paths';
import { addClause, lineAfter, removeLines, withFix } from './directiveEdits';
import type { AccWaitFact } from '../model';
import { constructOf } from '../analysis/regions';
import { headOf, variableAt, type Scope } from '../analysis/scope';
import { listsOf, stepsIn } from '../analysis/steps';
import { isLibraryClock } from '../../language';
import { transfersOf } from '../analysis/transfers';

/** The needless waits of one procedure. */
export function waitsOf(scope: Scope): readonly AccWaitFact[] {
  const flow = flowOf(scope);
  return flow.gotos ? [] : [...waitsInLoops(scope, flow), ...rowsOfRegions(scope, flow)];
}

function waitsInLoops(scope: Scope, flow: Flow): AccWaitFact[] {
  const { file } = scope;
  return flow.directives.flatMap(({ step, parents }): AccWaitFact[] => {
    const loop = hostLoops(parents).at(-1);
    if (
      step.directive.name !== 'wait' ||
      !loop ||
      parents.at(-1) !== loop ||
      step.directive.clauses.some((clause) => clause.name === 'if' || clause.name === 'async')
    )
      return [];
    const inside = stepsIn(loop.body);
    const regions = inside.filter((each): each is RegionStep => each.kind === 'region');
    const compute = regions.filter((each) => constructOf(each.directive));
    if (
      !compute.length ||
      regions.some((each) => /data/.test(each.directive.name)) ||
      inside.some((each) => each.kind === 'directive' && each !== step)
    )
      return [];
    // One queue keeps the order by itself.
    const queues = new Set(
      compute.map((each) => {
        const clause = each.directive.clauses.find((one) => one.name === 'async');
        return clause ? (clause.argument?.items.map((item) => item.text).join() ?? '') : undefined;
      }),
    );
    if (queues.size !== 1 || queues.has(undefined)) return [];
    const changed = new Set(
      flow.touches
        .filter((touch) => touch.mode === 'write' && isInside(touch, loop) && !touch.region)
        .map((touch) => touch.path),
    );
    if ([...queues].some((queue) => [...(queue ?? '').matchAll(/[A-Za-z_]\w*/g)].some(([word]) => changed.has(word))))
      return [];
    if (
      flow.calls.some(
        (call) => isInside(call, loop) && !call.region && (!call.harmless || isLibraryClock(call.call.name)),
      )
    )
      return [];
    // A clock around the loop measures the work; one wait after it serves as well. Whatever the host touches of it has
    // to wait.
    const onDevice = flow.touches.filter((touch) => touch.region && isInside(touch, loop));
    const onHost = flow.touches.filter((touch) => !touch.region && isInside(touch, loop));
    if (onHost.some((host) => host.form !== 'scalar' && onDevice.some((device) => overlap(flow, host, device))))
      return [];
    if (
      onHost.some(
        (host) =>
          host.form === 'scalar' &&
          host.mode === 'read' &&
          onDevice.some((device) => device.mode === 'write' && device.path === host.path),
      )
    )
      return [];
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

function overlap(flow: Flow, a: Touch, b: Touch): boolean {
  return [...flow.aliases(a.path)].some((name) => isPartOf(name, b.path) || isPartOf(b.path, name));
}

/**
 * Two or more compute constructs in a row inside a host loop, each without a queue, with no array in common that any of
 * them writes.
 */
function rowsOfRegions(scope: Scope, flow: Flow): AccWaitFact[] {
  const facts: AccWaitFact[] = [];
  const moved = new Set(transfersOf(scope).map((transfer) => transfer.region));
  const visit = (steps: readonly Step[], inLoop: boolean): void => {
    for (let from = 0; from < steps.length; from++) {
      const run: RegionStep[] = [];
      for (let at = from; at < steps.length && inLoop; at++) {
        const step = steps[at]!;
        if (
          step.kind !== 'region' ||
          !canQueue(scope, flow, step, moved) ||
          run.some((other) => !apart(flow, other, step))
        )
          break;
        run.push(step);
      }
      if (run.length > 1) {
        facts.push(rowFact(scope, run));
        from += run.length - 1;
        continue;
      }
      const step = steps[from]!;
      if (step.kind === 'region' && constructOf(step.directive)) continue;
      for (const list of listsOf(step)) visit(list, inLoop || step.kind === 'loop');
    }
  };
  visit(scope.procedure.body, false);
  return facts;
}

function canQueue(scope: Scope, flow: Flow, step: RegionStep, moved: ReadonlySet<RegionStep>): boolean {
  if (
    !constructOf(step.directive) ||
    moved.has(step) ||
    step.directive.clauses.some((clause) => /^(async|wait|if|self|reduction|copy|copyin|copyout)$/.test(clause.name))
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
  const of = (region: RegionStep): Touch[] =>
    flow.touches.filter((touch) => touch.region === region && touch.form !== 'scalar');
  const first = of(a),
    second = of(b);
  return !first.some((one) =>
    second.some((other) => (one.mode === 'write' || other.mode === 'write') && overlap(flow, one, other)),
  );
}

function rowFact(scope: Scope, run: readonly RegionStep[]): AccWaitFact {
  const { file } = scope;
  return {
    kind: 'acc-wait',
    form: 'independent-regions',
    at: spanIn(file, run[0]!.directive),
    regions: run.slice(1).map(({ directive }) => spanIn(file, directive)),
    ...withFix(
      'Use one queue per region and wait once (regions overlap)',
      ...run.map((step, at) => addClause(file, step.directive, `async(${at + 1})`)),
      lineAfter(file, run.at(-1)!, 'wait'),
    ),
  };
}
