// cuda/divergent-branch: a condition or trip count that differs between the lanes of a warp and costs.
import { type BranchCost, type BranchFact, contains, type LoopRef, type Model } from '../../../semantic/model';
import { defineRule, type Fix, type Interval } from '../../rule';
import { assuming, counted, excerpt } from '../../wording';

type Message = 'lane-pattern' | 'lanes-differ' | 'trip-count' | 'trip-count-data' | 'exits' | 'data' | 'predicated';

/** Operations of a short arm that the compiler predicates instead of branching. */
const predicated = 10;

export default defineRule<'branch', Message>({
  meta: {
    id: 'cuda/divergent-branch',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A condition or trip count differs between the lanes of a warp, with enough work under it to cost.',
    docs: {
      what:
        'The lanes of a warp share one instruction stream: where they disagree about a branch, the arms ' +
        'run one after the other with part of the lanes idle, and a loop runs until its slowest lane is ' +
        'done. The rule follows which conditions vary between lanes, evaluates those that depend only on ' +
        'the thread index, and counts the lane time lost under them. A condition on loaded data has no ' +
        'figure: any part may be lost. Two short arms cost nothing, as the compiler predicates them.',
      why:
        'A parity branch with work in both arms runs at half speed. A data-dependent `if` around one ' +
        'addition ran as fast as its arithmetic form on an H200: the cost comes from loops, calls and ' +
        'memory traffic under the branch.',
      whenNot:
        'Silent for boundary guards, `if (threadIdx.x == 0)`, warp-uniform conditions (`threadIdx.x / ' +
        '32`), branches that would take as many warps if their lanes agreed, short arms without an ' +
        'alternative form, and inside a tree reduction (see cuda/shared-sweep-reduction).',
      fix:
        "Splits a parity test by warps where the arms need only the thread's index (unsafe: threads get " +
        'other work). Replaces two pure arms that assign one variable by a conditional expression (safe). ' +
        'By hand: sort or bin the work so that neighbouring lanes agree, or give rows of varying length to ' +
        'whole warps.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Branching and Divergence',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#branching-and-divergence',
        },
        {
          title: 'Nsight Compute, source metrics (Divergent Branches)',
          url: 'https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#source-metrics',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      'lane-pattern':
        'Divergent branch{lost}. `{condition}` splits every warp by its lane numbers, and {paths}{assuming}.',
      'lanes-differ':
        'Divergent branch{lost}. `{condition}` differs between the lanes of a warp, and {paths}{assuming}.',
      'trip-count':
        'Divergent loop{lost}. The trip count differs between the lanes of a warp, which runs until its ' +
        'slowest lane is done{assuming}.',
      'trip-count-data':
        'Divergent loop: its trip count depends on data. `{condition}` differs between lanes, and a warp ' +
        'runs until its slowest lane is done.',
      exits:
        'Divergent loop: lanes leave it at different iterations. `{condition}` differs between them, and a ' +
        'warp runs until its last lane is done.',
      data:
        'Divergent branch: lanes may differ, depending on data. `{condition}` differs between lanes: a ' +
        'warp in which they disagree runs {work} with part of its lanes.',
      predicated:
        'Short divergent branch: probably predicated, at no cost. `{condition}` differs between lanes, but ' +
        'its arms are short.',
    },
    example: {
      condition: 'threadIdx.x % 2',
      lost: ': 50 % of the lane time lost',
      paths: 'both paths run one after the other',
      work: 'the 4 memory accesses under it',
    },
    // A predicated condition has no branch that diverges, and all threads at its instructions. A branch that the compiler placed on
    // another line shows in the threads, so that it is never taken for a predicated one.
    evidence: {
      metric: 'smsp__branch_targets_threads_divergent',
      against: 'inst_executed',
      badWhen: 'metric / against >= 0.01',
      noneWhen: 'metric / against < 0.001 and threads >= 30',
    },
    options: {
      data: { type: 'boolean', default: true, description: 'Whether conditions that depend on data are reported.' },
    },
  },
  on: 'branch',
  *check(fact, { model, options }) {
    const message = messageOf(fact, model);
    if (!message || (options['data'] === false && fact.dataDependent) || inherited(fact, model)) return;
    const lost = lostOf(fact, message, model);
    if (lost[1] === 0 && message !== 'predicated') return;
    yield {
      at: fact.at,
      message,
      waste: { kind: 'issue', lost },
      confidence: fact.dataDependent || fact.assumed.length > 0 ? 'assumed' : 'proven',
      data: {
        condition: excerpt(fact.text),
        lost: fact.lostShare === undefined ? '' : `: ${Math.round(fact.lostShare * 100)} % of the lane time lost`,
        paths: fact.otherwise ? 'both paths run one after the other' : 'the other lanes wait',
        work: workText(fact),
        assuming: assuming(fact.assumed),
      },
      related: fact.exit
        ? [{ at: fact.exit, text: 'they leave where this holds, or no longer holds' }, ...fact.trail]
        : fact.trail,
      atStake: [fact.statementAt],
      fixes: fixesOf(fact),
    };
  },
});

/** Which kind of branch it is; undefined where the lanes of a warp agree, or another finding is about it. */
function messageOf(fact: BranchFact, model: Model): Message | undefined {
  if (fact.variance !== 'thread-varying' || fact.boundaryGuard || fact.singleLane || fact.splitShare === 0)
    return undefined;
  // A sweep's own conditions are between the head of its loop and the statement that combines.
  if (
    model.facts.sweep.some((sweep) => contains({ ...sweep.at, end: Math.max(sweep.at.end, sweep.hotAt.end) }, fact.at))
  )
    return undefined;
  const arms = [fact.under, ...(fact.otherwise ? [fact.otherwise] : [])];
  if (!isLoop(fact) && arms.every(isShort))
    return fact.select && fact.otherwise && fact.form === 'if' && fact.loops.length > 0 ? 'predicated' : undefined;
  if (fact.exit) return 'exits';
  if (fact.dataDependent) return isLoop(fact) ? 'trip-count-data' : 'data';
  // The figure is that of the iterations that were run, and the condition changes with the iteration.
  if (fact.loops.some((around) => isOpenLoop(around) && mentionsVariable(fact.text, around.variable))) return undefined;
  if (fact.lostShare === undefined) return undefined;
  if (isLoop(fact)) return 'trip-count';
  return splitsMost(fact) ? 'lane-pattern' : 'lanes-differ';
}

/**
 * Part of the work under it that fewer warps would do if their lanes agreed: of the warps that split, those that are
 * left over when the lanes that go in stand together. Any part where data decide; nothing of a predicated arm.
 */
function lostOf(fact: BranchFact, message: Message, model: Model): Interval {
  if (message === 'predicated') return [0, 0];
  const { lostShare, splitShare, assumed } = fact;
  if (lostShare === undefined || fact.dataDependent || fact.exit) return [0, 31 / 32];
  let lost = lostShare;
  if (splitShare !== undefined && !isLoop(fact)) {
    const splitting = Math.max(1, splitShare * warpsOf(fact, model));
    lost = Math.max(0, 1 - Math.ceil(splitting * (1 - lostShare)) / splitting);
  }
  return [assumed.length > 0 ? 0 : lost, lost];
}

function warpsOf({ kernels }: BranchFact, model: Model): number {
  const [shape] = model.facts.kernel.find(({ name }) => kernels.includes(name))?.shapes ?? [];
  return shape ? Math.ceil((shape.block[0] * shape.block[1] * shape.block[2]) / 32) : 1;
}

function isLoop({ form }: BranchFact): boolean {
  return form === 'for' || form === 'while' || form === 'do';
}

/** A pattern in the lane number that most warps come to, rather than those of a few rows. */
function splitsMost({ lanePattern, splitShare }: BranchFact): boolean {
  return lanePattern !== undefined && (splitShare === undefined || splitShare >= 0.5);
}

/** Not all of its iterations were run. */
function isOpenLoop({ trips, modelled }: LoopRef): boolean {
  return trips === undefined || (modelled !== undefined && modelled < trips);
}
function mentionsVariable(text: string, variable: string | undefined): boolean {
  return variable !== undefined && new RegExp(`(?<![\\w.])${variable.replace(/\$/g, '\\$')}\\b`).test(text);
}

/** A branch inside another one that already says so: the lanes were lost outside, unless the inner branch loses a tenth more. */
function inherited(fact: BranchFact, model: Model): boolean {
  // Further down an `else if` chain, and in the arms of a branch that says so, the lanes have parted already.
  if (fact.dataDependent && fact.form === 'if')
    return model.facts.branch.some(
      (outer) =>
        outer !== fact &&
        outer.dataDependent &&
        outer.form === 'if' &&
        contains(outer.statementAt, fact.statementAt) &&
        outer.statementAt.start < fact.statementAt.start &&
        messageOf(outer, model) !== undefined,
    );
  if (fact.lostShare === undefined) return false;
  const lost = fact.lostShare;
  return model.facts.branch.some(
    (outer) =>
      outer !== fact &&
      outer.lostShare !== undefined &&
      lost - outer.lostShare < 0.1 &&
      contains(outer.statementAt, fact.statementAt) &&
      outer.statementAt.start < fact.statementAt.start &&
      messageOf(outer, model) !== undefined,
  );
}

/** Straight code that is predicated rather than jumped over; loads and stores take a predicate as well. */
function isShort(cost: BranchCost): boolean {
  return (
    cost.loops + cost.calls + cost.barriers === 0 &&
    !cost.returns &&
    cost.operations + 2 * (cost.loads + cost.stores) <= predicated
  );
}

/** The heaviest of what a branch governs: a list of counts says less. */
function workText({ under, otherwise }: BranchFact): string {
  const sum = (part: keyof BranchCost): number => Number(under[part] ?? 0) + Number(otherwise?.[part] ?? 0);
  if (sum('loops') > 0) return sum('loops') === 1 ? 'the loop under it' : 'the loops under it';
  const memory = Math.round(sum('loads') + sum('stores'));
  if (memory > 0) return `the ${counted(memory, 'memory access', 'memory accesses')} under it`;
  return sum('calls') > 0 ? 'the calls under it' : 'the code under it';
}

function fixesOf(fact: BranchFact): Fix[] {
  const fixes: Fix[] = [];
  if (fact.select) fixes.push({ title: fact.select.title, applicability: 'safe', edits: fact.select.edits });
  if (fact.warpSplit) fixes.push({ title: fact.warpSplit.title, applicability: 'unsafe', edits: fact.warpSplit.edits });
  return fixes;
}
