// Holds the model of the compiler's merging against what nvcc made of generated kernels, recorded and live.
import { skipBecause } from '../../support/skipBecause';
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeAccesses, sharedOffsets, type PendingAccess } from '../../../server/src/semantic/run/merging';
import { mergingCases } from './cases';
import { compilerAtHand } from './machineCode';
import { observed, predicted } from './observed';

const facts = JSON.parse(readFileSync(join(__dirname, 'facts.json'), 'utf8')) as {
  compiler: string;
  cases: Record<string, string>;
};

/** Where the model is known to differ: what nvcc has, and why that is left. */
const different = new Map([
  // The second word is counted on its own line; sizes and offsets are as predicted.
  ['load Three8 static 1t+02', '4@0:0 4@8:1'],
  // Six of eight: as `short` they are one instruction.
  ['load __half aligned 8t+012345', '8@0:0 4@8:4'],
]);

describe("the compiler's merging", () => {
  const cases = mergingCases();

  it(`is predicted for every kernel that ${facts.compiler} compiled`, () => {
    deepStrictEqual(
      Object.keys(facts.cases),
      cases.map(({ name }) => name),
      'record the facts again: the cases changed',
    );
    ok(cases.length > 500);
    const wrong = cases.filter((each) => predicted(each) !== facts.cases[each.name]);
    deepStrictEqual(new Map(wrong.map(({ name }) => [name, facts.cases[name]])), different);
  });

  it('is what the compiler at hand does with a sample', function () {
    const compiler = compilerAtHand();
    if (compiler === undefined) skipBecause(this, 'there is no nvcc on this machine');
    this.timeout(120_000);
    // 29 is prime to the lengths of the lists of cases.
    const sample = cases.filter((each, at) => at % 29 === 0 && !different.has(each.name));
    const made = observed(sample);
    deepStrictEqual(
      sample.map(({ name }, at) => `${name}: ${made[at]}`),
      sample.map((each) => `${each.name}: ${predicted(each)}`),
    );
  });

  it('lays static shared arrays in the order of their declarations', () => {
    deepStrictEqual(
      sharedOffsets([
        { bytes: 12, alignment: 4 },
        { bytes: 5, alignment: 1 },
        { bytes: 64, alignment: 8 },
      ]),
      [0, 12, 24],
    );
  });

  const float: PendingAccess = {
    base: 1,
    space: 'shared',
    mode: 'load',
    bytes: 4,
    scalarBytes: 4,
    form: 1,
    offset: 0,
    alignment: 16,
    mask: 1,
  };

  it('keeps accesses under different masks, of different forms, volatile and atomic ones apart', () => {
    for (const other of [{ mask: 2 }, { form: 2 }, { opaque: true }, { mode: 'atomic' as const }])
      strictEqual(mergeAccesses([float, { ...float, offset: 4, ...other }]).length, 2);
    strictEqual(mergeAccesses([float, { ...float, offset: 4 }]).length, 1);
  });

  it('aligns windows below the form too', () => {
    deepStrictEqual(
      mergeAccesses([
        { ...float, offset: -8 },
        { ...float, offset: -4 },
      ]),
      [{ members: [0, 1], countedAt: 0, offset: -8, bytes: 8 }],
    );
  });
});
