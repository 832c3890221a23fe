// cuda/divergent-branch: a condition or trip count that differs between the lanes of a warp and costs.
import { type BranchCost, type BranchFact, contains, type LoopRef, type Model } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { assuming, counted, excerpt } from '../../wording';
import { isLeaderSection, workOf } from '../leaders';

type Message = 'lane-pattern' | 'lanes-differ' | 'trip-count' | 'trip-count-data' | 'exits' | 'data' | 'predicated';

/** Lane time under the branch below which a loss is not worth reporting: on measured programs the branches that matter lose more. */
const leastLoss = 0.02;
/** Below it the loss is that of the lanes at an edge, of the halo of a tile say: never more than a hint. */
const edgeLoss = 0.1;
/** Work, in issue slots, that the idle lanes of a leader's section wait for, from which it is worth a hint. */
const leaderLoss = 32;
/** A loop whose slowest lane has less than twice the iterations of the others is often the halo of a tile. */
const halfLost = 0.5;
/** What runs in a loop counts this often, since most loops run more often than that. */
const usualTurns = 8;
/** Operations in both arms from which the arithmetic of a branch, rather than its memory traffic, takes the time. */
const leastComputed = 12;
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
        'the thread index, and weighs them by lost lane time times the work under them. A condition on ' +
        'loaded data has no figure, so it is a hint; so are two short arms, which the compiler predicates.',
      why:
        'A parity branch with work in both arms runs at half speed. A data-dependent `if` around one ' +
        'addition ran as fast as its arithmetic form on an H200: the cost comes from loops, calls and ' +
        'memory traffic under the branch.',
      whenNot:
        'Silent for boundary guards, `if (threadIdx.x == 0)`, warp-uniform conditions (`threadIdx.x / ' +
        '32`), below two percent of lost lane time, short arms without an alternative form, and inside a ' +
        'tree reduction (see cuda/shared-sweep-reduction). A warning only where the lanes of every warp ' +
        'take two ways by a pattern in their numbers, with arithmetic in both.',
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
    const verdict = weigh(fact, model);
    if (!verdict || (options['data'] === false && fact.dataDependent) || inherited(fact, model)) return;
    yield {
      at: fact.at,
      message: verdict.message,
      severity: isInnerLoop(fact, model) ? 'hint' : verdict.severity,
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

type Verdict = Required<Pick<Finding<Message>, 'message' | 'severity'>>;

/** What a branch is worth on its own; undefined is silence. */
function weigh(fact: BranchFact, model: Model): Verdict | undefined {
  const verdict = weighLoss(fact, model);
  if (!verdict || fact.lostShare === undefined) return verdict;
  if (fact.lostShare < edgeLoss) return { ...verdict, severity: 'hint' };
  // Roles, edges, triangles and work for some lanes are what the problem asks for, most often. Two ways for the lanes of
  // every warp, by a pattern in their numbers, are a choice.
  const isChoice =
    verdict.message === 'lane-pattern' &&
    fact.otherwise !== undefined &&
    workOf(fact.otherwise) > 0 &&
    computed(fact.under) + computed(fact.otherwise) >= leastComputed;
  // The end of an array that is smaller than the grid, and what some threads do for all, have one arm.
  const isOneWay =
    fact.otherwise === undefined &&
    (verdict.message === 'lanes-differ' ||
      (verdict.message === 'lane-pattern' && fact.under.loops === 0 && fact.under.calls === 0) ||
      (verdict.message === 'trip-count' && fact.lostShare < halfLost));
  // The halves of a tile, moved one after the other: each lane waits for memory once, either way.
  const isMoved =
    verdict.message === 'lanes-differ' &&
    computed(fact.under) + (fact.otherwise ? computed(fact.otherwise) : 0) < leastComputed;
  if ((isOneWay || isMoved) && verdict.severity !== 'hint') return { ...verdict, severity: 'hint' };
  return verdict.severity === 'warning' && !isChoice ? { ...verdict, severity: 'information' } : verdict;
}

/** What the arms of a branch only move waits for memory either way, and takes no longer for being in two parts. */
function computed({ operations, calls, loops }: BranchCost): number {
  return operations + 8 * calls + 8 * loops;
}

function weighLoss(fact: BranchFact, model: Model): Verdict | undefined {
  if (fact.variance !== 'thread-varying' || fact.boundaryGuard || fact.singleLane) return undefined;
  // A sweep's own conditions stand between the head of its loop and the statement that combines.
  if (
    model.facts.sweep.some((sweep) => contains({ ...sweep.at, end: Math.max(sweep.at.end, sweep.hotAt.end) }, fact.at))
  )
    return undefined;
  const arms = [fact.under, ...(fact.otherwise ? [fact.otherwise] : [])];
  const loop = fact.form === 'for' || fact.form === 'while' || fact.form === 'do';
  if (!loop && arms.every(isShort)) {
    // Worth a hint only with work in both arms, inside a loop, and another way to write it: everywhere else it is how people write code.
    const twoWays =
      fact.otherwise !== undefined && fact.otherwise.operations + fact.otherwise.loads > 0 && fact.form === 'if';
    return fact.splitShare !== 0 && twoWays && fact.loops.length > 0 && fact.select
      ? { message: 'predicated', severity: 'hint' }
      : undefined;
  }
  if (fact.exit) return weighExit(fact);
  if (fact.dataDependent) return weighData(fact, arms, loop);
  // The figure is that of the iterations that were run, and the condition changes with the iteration.
  if (fact.loops.some((around) => isOpenLoop(around) && mentionsVariable(fact.text, around.variable))) return undefined;
  if (fact.lostShare === undefined || fact.lostShare < leastLoss || fact.splitShare === 0) return undefined;
  const loss = fact.lostShare * arms.reduce((sum, arm) => sum + workOf(arm), 0) * (loop ? usualTurns : 1);
  const message = loop ? 'trip-count' : splitsMost(fact) ? 'lane-pattern' : 'lanes-differ';
  const heavy = loop || arms.some((arm) => arm.loops > 0 || arm.calls > 0);
  const guessed = fact.assumed.length > 0;
  // Other lanes have nothing to do meanwhile: long sections alone are worth a hint.
  if (isLeaderSection(fact)) return loss >= leaderLoss && !guessed ? { message, severity: 'hint' } : undefined;
  // A few threads that finish a block's work, once: a remark.
  const once = fact.oneWarp === true && fact.loops.length === 0;
  if (heavy && loss >= (loop ? 8 : 16))
    return loss >= 32
      ? { message, severity: guessed ? 'hint' : once ? 'information' : 'warning' }
      : guessed
        ? undefined
        : { message, severity: 'information' };
  if (guessed) return undefined;
  if (once) return loss >= 48 ? { message, severity: 'information' } : undefined;
  const bothArms = fact.otherwise !== undefined && workOf(fact.otherwise) > 0;
  if (fact.lanePattern && loss >= 6)
    return { message, severity: bothArms || fact.loops.length > 0 ? 'warning' : 'information' };
  // A halo is loaded by the first lanes of a block in every stencil; one arm of straight code is worth a word only when it is long.
  return loss >= (bothArms ? 24 : 48) ? { message, severity: 'information' } : undefined;
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

/** A retry of a compare-and-swap leaves early as well: what counts is memory traffic, or a good deal of arithmetic. */
function weighExit({ under }: BranchFact): Verdict | undefined {
  return workOf(under) >= (under.loads + under.stores > 0 ? 6 : 12) && (under.loads > 0 || under.operations >= 12)
    ? { message: 'exits', severity: 'hint' }
    : undefined;
}

function weighData(fact: BranchFact, arms: readonly BranchCost[], loop: boolean): Verdict | undefined {
  const total = arms.reduce((sum, arm) => sum + workOf(arm), 0);
  // A short loop without memory traffic is a retry of a compare-and-swap, or a handful of steps.
  if (loop)
    return total >= (arms.some((arm) => arm.loads + arm.stores > 0) ? 6 : 32)
      ? { message: 'trip-count-data', severity: 'hint' }
      : undefined;
  // How often the lanes of a warp disagree is nowhere in the text.
  if (arms.some((arm) => arm.loops > 0)) return { message: 'data', severity: 'hint' };
  if (fact.select && fact.loops.length > 0 && arms.every(isPure)) return { message: 'data', severity: 'hint' };
  const inLoop = fact.loops.length > 0;
  return total >= (inLoop ? 40 : 80) ? { message: 'data', severity: 'hint' } : undefined;
}

/** A loop whose iterations data decide, one of which reports it: one cause, and the lanes part outside. */
function isInnerLoop(fact: BranchFact, model: Model): boolean {
  const isLoop = ({ form }: BranchFact): boolean => form === 'for' || form === 'while' || form === 'do';
  if (!isLoop(fact) || (!fact.dataDependent && !fact.exit)) return false;
  return model.facts.branch.some(
    (outer) =>
      outer !== fact &&
      isLoop(outer) &&
      (outer.dataDependent || outer.exit !== undefined) &&
      contains(outer.statementAt, fact.statementAt) &&
      outer.statementAt.start < fact.statementAt.start &&
      weigh(outer, model) !== undefined,
  );
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
        weigh(outer, model) !== undefined,
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
      weigh(outer, model) !== undefined,
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
function isPure(cost: BranchCost): boolean {
  return cost.loads + cost.stores + cost.loops + cost.calls + cost.barriers === 0;
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
