// The model on random kernels whose answer a second implementation knows; `lab/bench/random.ts` runs any number.
import { skipBecause } from '../../support/skipBecause';
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { proofOf } from './proof';
import { compileAll, nvccStandIn, nvccVersion } from '../../support/nvcc';
import { caseOf, caseOfSeed, compare } from './compare';
import { evaluateKernel, Unusable } from './evaluate';
import type { Access, ElementType, Expr, Kernel } from './kernel';
import { printCuda } from './print';
import { depth, drawn } from '../../support/depth';

const kernels = drawn(40, 150);
/** How many of them are given to compilers. */
const compiled = drawn(2, 6);

const number = (value: number): Expr => ({ kind: 'number', value, type: 'int' });
const x: Expr = { kind: 'variable', name: 'threadIdx.x', type: 'unsigned' };
const float: ElementType = { name: 'float', bytes: 4, unit: 4, pieces: 1, offset: 0 };
function binary(operator: '*' | '-' | '/' | '<' | '%', left: Expr, right: Expr): Expr {
  return { kind: 'binary', operator, left, right };
}
function load(index: Expr, space: 'global' | 'shared' = 'global'): Access {
  return { kind: 'access', place: 0, array: { name: 'a', type: float, space }, index: [index], mode: 'load' };
}
function kernelOf(body: Kernel['body'], block: Kernel['block'] = [32, 1, 1]): Kernel {
  return { block, grid: [1, 1, 1], parameters: [], body };
}

describe('random kernels', () => {
  it(`have the figures of the plain evaluation, ${kernels} of them`, async function () {
    this.timeout(180_000);
    const said: string[] = [];
    let equal = 0;
    for (let seed = 0; seed < kernels; seed++) {
      const outcome = await compare(caseOfSeed(seed));
      equal += outcome.equal;
      if (outcome.wrong.length > 0) said.push(`seed ${seed}`, ...outcome.wrong, outcome.text);
    }
    deepStrictEqual(said, []);
    ok(equal > 4 * kernels, `${equal} figures compared`);
  });

  it('evaluates a stride, a guard and a loop as counted by hand', () => {
    const guarded: Kernel = kernelOf(
      [{ kind: 'if', condition: binary('<', x, number(40)), consequent: [load(binary('*', x, number(2)))] }],
      [64, 1, 1],
    );
    // 32 lanes at 8 bytes: 8 sectors of 4 ideal; then 8 lanes: 2 of 1.
    deepStrictEqual(evaluateKernel(guarded).blocks[0]!.get('0 load'), {
      warps: 2,
      lanes: 40,
      sectors: 10,
      sectorsIdeal: 5,
      wavefronts: 0,
      wavefrontsIdeal: 0,
    });
    const looped: Kernel = kernelOf([
      {
        kind: 'for',
        name: 'j',
        type: 'int',
        start: number(0),
        condition: binary('<', { kind: 'variable', name: 'j', type: 'int' }, x),
        step: { kind: 'assign', name: 'j', type: 'int', operator: '+=', value: number(1) },
        body: [load(binary('*', { kind: 'variable', name: 'j', type: 'int' }, number(64)), 'shared')],
      },
    ]);
    // Lane 0 never comes, lane 31 comes 31 times, and all read one word at a time.
    const figures = evaluateKernel(looped).blocks[0]!.get('0 load')!;
    deepStrictEqual([figures.warps, figures.lanes, figures.wavefronts], [31, 496, 31]);
  });

  it('takes nothing for a test that C leaves undefined', () => {
    const zero = binary('-', number(3), number(3));
    throws(() => evaluateKernel(kernelOf([load(binary('/', number(1), zero))])), Unusable);
    throws(() => evaluateKernel(kernelOf([load(binary('*', number(1 << 20), number(1 << 20)))])), Unusable);
    // Unsigned numbers wrap: 0u - 1 is not an index, and not an error.
    strictEqual(caseOf(kernelOf([load(binary('-', x, number(1)))])), undefined);
  });

  it('says so where a figure is wrong', async () => {
    const test = caseOf(kernelOf([load(binary('*', x, number(2)))]))!;
    strictEqual((await compare(test)).equal, 1);
    const false_ = caseOf(kernelOf([load(binary('*', x, number(4)))]))!;
    strictEqual((await compare({ ...false_, kernel: test.kernel })).wrong.length, 1);
  });

  it('prints kernels that g++ reads the same way', function () {
    try {
      execFileSync('g++', ['--version'], { stdio: 'ignore' });
    } catch {
      skipBecause(this, 'there is no g++ on this machine');
    }
    this.timeout(60_000);
    for (let seed = 0; seed < compiled; seed++) strictEqual(proofOf(caseOfSeed(seed)), undefined, `seed ${seed}`);
  });

  if (depth !== 'quick')
    it('prints kernels that nvcc takes, or clang as CUDA where there is no nvcc', async function () {
      const nvcc = nvccVersion() === undefined ? nvccStandIn : 'nvcc';
      const version = nvccVersion(nvcc);
      if (version === undefined) skipBecause(this, 'there is neither nvcc nor clang 19 on this machine');
      this.timeout(180_000);
      const jobs = Array.from({ length: compiled }, (_, seed) => {
        const test = caseOfSeed(seed);
        return { name: `seed ${seed}`, text: printCuda(test.kernel, test.extents).text };
      });
      deepStrictEqual(await compileAll(jobs, version, nvcc), []);
    });

  it('makes the same kernel of a seed again', () => {
    const [first, again] = [caseOfSeed(5), caseOfSeed(5)];
    strictEqual(printCuda(first.kernel, first.extents).text, printCuda(again.kernel, again.extents).text);
  });
});
