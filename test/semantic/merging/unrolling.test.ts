// Holds the model of unrolled loops against what nvcc made of drawn kernels.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type LoopCase, loopFile, modelled } from './unrolling';

const { compiler, cases } = JSON.parse(readFileSync(loopFile, 'utf8')) as { compiler: string; cases: LoopCase[] };

describe('loops that the compiler unrolls', () => {
  it(`have the instructions that ${compiler} made of them`, async function () {
    this.timeout(60_000);
    const different: string[] = [];
    for (const each of cases) if ((await modelled(each)) !== each.instructions) different.push(each.name);
    // A loop with much in it stays a loop without a pragma: its one copy is counted for all iterations.
    deepStrictEqual(
      different.filter((name) => !/\b(tile \w+ \d+ \d+ [48]|call .*) plain/.test(name)),
      [],
    );
    ok(cases.length >= 300 && different.length <= cases.length / 20);
  });
});
