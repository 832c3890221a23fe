// What a gate's conditions mean, and what they say of a comparison.
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import type { Comparison, KernelChange } from '../../server/src/comparison/compare';
import type { KernelFigures } from '../../server/src/comparison/figures';
import { breachesOf, parseGate, type GateCondition } from '../../server/src/comparison/gate';
import { pairOf, type KernelPair } from '../../server/src/comparison/work';

const at = { path: 'a.cu', line: 1, column: 1, start: 0, end: 1 };
const kernel = (figures: Partial<KernelFigures>): KernelFigures => ({
  name: 'k',
  signature: 'k(float *)',
  at,
  lastLine: 9,
  body: '{ }',
  sectors: 100,
  wavefronts: 0,
  barriers: 0,
  atomics: 0,
  unknown: 0,
  blocks: ['256'],
  assumedBlock: false,
  launches: [],
  accesses: [],
  ...figures,
});
const comparison = (...pairs: KernelPair[]): Comparison => ({
  pairs,
  changed: [],
  added: [],
  removed: [],
  findings: [],
  gone: [],
  excess: [],
  unread: [],
  notes: [],
});
const conditions = (text: string): readonly GateCondition[] => {
  const parsed = parseGate(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
};
const breaks = (gate: string, before: Partial<KernelFigures>, after: Partial<KernelFigures>): boolean =>
  breachesOf(conditions(gate), comparison(pairOf(kernel(before), kernel(after)))).length > 0;

describe('a gate', () => {
  it('holds figures against a part more, so many more, or a number', () => {
    ok(!breaks('sectors <= +5 %', { sectors: 100 }, { sectors: 105 }));
    ok(breaks('sectors <= +5 %', { sectors: 100 }, { sectors: 105.1 }));
    ok(breaks('sectors < +5%', { sectors: 100 }, { sectors: 105 }));
    ok(!breaks('sectors <= +4', { sectors: 100 }, { sectors: 104 }));
    ok(breaks('sectors <= +4', { sectors: 100 }, { sectors: 105 }));
    ok(breaks('sectors <= -10 %', { sectors: 100 }, { sectors: 95 }));
    ok(!breaks('unknown == 0', {}, {}));
    ok(breaks('unknown = 0', {}, { unknown: 1 }));
    ok(breaks('occupancy <= 0.1', {}, { occupancy: 0.2 }));
    ok(breaks('wavefronts <= +0 %', { wavefronts: 0 }, { wavefronts: 1 }));
  });

  it('takes every condition, and names the kernel that breaks one', () => {
    const walk = kernel({ name: 'walk', sectors: 400, wavefronts: 9 });
    const breaches = breachesOf(conditions('sectors <= +5 %, wavefronts <= 8'), comparison(pairOf(kernel({}), walk)));
    deepStrictEqual(
      breaches.map(({ sentence }) => sentence),
      ['sectors <= +5 %: sectors of walk was 100, is 400.', 'wavefronts <= 8: wavefronts of walk was 0, is 9.'],
    );
  });

  it('says nothing of what is unknown, and holds what ptxas said against limits', () => {
    ok(!breaks('traffic <= +5 %', {}, { traffic: 1e9 }));
    const other = pairOf(kernel({ time: 1 }), kernel({ time: 9, blocks: ['64'] }));
    deepStrictEqual(breachesOf(conditions('time <= +5 %'), comparison(other)), []);
    const changed = [other as KernelChange];
    match(breachesOf(conditions('uncompared == 0'), { ...comparison(), changed })[0]!.sentence, /found 1/);
    const pair = pairOf(kernel({}), kernel({}));
    const resources = (): { before: { registers: number }; after: { registers: number; spills: number } } => ({
      before: { registers: 32 },
      after: { registers: 40, spills: 8 },
    });
    const broken = breachesOf(conditions('registers <= +10 %, spills == 0'), comparison(pair), resources);
    const metrics = broken.map(({ condition }) => condition.metric);
    deepStrictEqual(metrics, ['registers', 'spills']);
    deepStrictEqual(breachesOf(conditions('registers <= +10 %'), comparison(pair)), []);
  });

  it('that cannot be read gets one sentence', () => {
    for (const [text, problem] of [
      ['sectors', /Invalid gate condition/],
      ['speed <= 5', /Unknown gate figure "speed"/],
      ['new-warnings <= +5 %', /is a number/],
      [' , ', /^Empty/],
    ] as const) {
      const parsed = parseGate(text);
      ok('problem' in parsed, text);
      match(parsed.problem, problem);
    }
  });
});
