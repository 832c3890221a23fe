// cuda/divergent-branch: a condition or trip count that differs between the lanes of a warp and costs.
import { contains, type BranchCost, type BranchFact, type Model } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, counted, excerpt } from '../../wording';
import { inherited, lostOf, messageOf } from './lanes';
import docs from './docs.json';
import { type Message, messages } from './words';

export default defineRule<'branch', Message>({
  meta: {
    id: 'cuda/divergent-branch',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A condition or trip count differs between the lanes of a warp, with enough work under it to cost.',
    docs,
    messages,
    example: {
      condition: 'threadIdx.x % 2',
      lost: ': 50 % of the lane time lost',
      paths: 'both paths run one after the other',
      work: 'the 4 memory accesses under it',
      threads: '1 of 256 threads runs',
    },
    // A predicated condition has no branch that diverges, and all threads at its instructions. A branch that the
    // compiler placed on another line shows in the threads, so that it is never taken for a predicated one.
    evidence: {
      metric: 'smsp__branch_targets_threads_divergent',
      against: 'inst_executed',
      badWhen: 'metric / against >= 0.01',
      noneWhen: 'metric / against < 0.001 and threads >= 30',
      messages: ['lane-pattern', 'lanes-differ', 'trip-count', 'trip-count-data', 'exits', 'data', 'predicated'],
    },
    options: {
      data: { type: 'boolean', default: true, description: 'Whether conditions that depend on data are reported.' },
    },
  },
  on: 'branch',
  *check(fact, { model, options }) {
    if (fact.serial) yield* serial(fact, fact.serial, model);
    const message = messageOf(fact, model);
    if (!message || (options['data'] === false && fact.dataDependent) || inherited(fact, model)) return;
    const lost = lostOf(fact, message, model);
    if (lost[1] === 0 && message !== 'predicated') return;
    const split = fact.fixes?.['warp-split'];
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
      fixes: split ? [{ ...split, applicability: 'unsafe', proof: 'run' }] : [],
    };
  },
});

/** The outermost of such loops. */
function* serial(
  fact: BranchFact,
  { threads, of, combines }: NonNullable<BranchFact['serial']>,
  model: Model,
): Generator<Finding<Message>> {
  const isInner = model.facts.branch.some(
    (outer) => outer.serial && outer !== fact && contains(outer.statementAt, fact.statementAt),
  );
  if (isInner) return;
  // Other kernels that call the function may assume other blocks.
  const assumed = fact.assumed.filter((one) => one.kind !== 'block' || one.block.reduce((a, b) => a * b) === of);
  yield {
    at: fact.at,
    message: 'serial',
    waste: { kind: 'serial' },
    confidence: assumed.length > 0 ? 'assumed' : 'proven',
    data: {
      threads: `${threads} of ${of} threads ${threads === 1 ? 'runs' : 'run'}`,
      combine: combines ? ' and combine their results' : '',
      assuming: assuming(assumed),
    },
    related: fact.trail,
    atStake: [fact.statementAt],
  };
}

/** The heaviest of what a branch governs: a list of counts says less. */
function workText({ under, otherwise }: BranchFact): string {
  const sum = (part: keyof BranchCost): number => Number(under[part] ?? 0) + Number(otherwise?.[part] ?? 0);
  if (sum('loops') > 0) return sum('loops') === 1 ? 'the loop under it' : 'the loops under it';
  const memory = Math.round(sum('loads') + sum('stores'));
  if (memory > 0) return `the ${counted(memory, 'memory access', 'memory accesses')} under it`;
  return sum('calls') > 0 ? 'the calls under it' : 'the code under it';
}
