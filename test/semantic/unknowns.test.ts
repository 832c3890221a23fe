// Unknown values stay unknown: which figures are proven, which hold from a value on, and which are none.
import assert from 'node:assert/strict';
import type { AccessFact, Assumption } from '../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

async function accessesOf(text: string): Promise<readonly AccessFact[]> {
  const workspace = await memoryWorkspace(new Map());
  const analysed = workspace.analyse(memoryUri('a.cu'), { text, version: 1 });
  return analysed!.model.facts.access;
}
async function accessOf(statement: string, more = '', launch = 'k<<<64, 256>>>(a, b, n, m);'): Promise<AccessFact> {
  const parameters = 'float *a, const int *b, int n, int m';
  const head = 'int t = threadIdx.x; int i = blockIdx.x * blockDim.x + threadIdx.x;';
  const text = `${more}\n__global__ void k(${parameters}) { ${head}\n${statement}\n}\nvoid f(${parameters}) { ${launch} }\n`;
  const found = (await accessesOf(text)).find((fact) => fact.array.name === 'a');
  assert.ok(found, statement);
  return found;
}
function ratio({ sectors, sectorsIdeal }: AccessFact): number {
  return Math.round((100 * sectors!) / sectorsIdeal!) / 100;
}
function strideOf(fact: AccessFact): (Assumption & { kind: 'stride' }) | undefined {
  return fact.assumed.find((one) => one.kind === 'stride');
}

describe('what is unknown', () => {
  it('cancels where it moves all lanes alike', async () => {
    for (const index of ['t + n * 8', 'n * m * 8 + i', 'n * 8 + t - n * 8', 'i / n * n + i % n', '(n * 32 + t) % 32'])
      assert.deepEqual([(await accessOf(`a[${index}] = 1;`)).certainty, index], ['proven', index]);
    assert.equal(ratio(await accessOf('a[i / n * n + i % n] = 1;')), 1);
  });

  it('makes a figure conditional on where rows start, if it moves them off a sector', async () => {
    const fact = await accessOf('a[t + n] = 1;');
    assert.deepEqual(fact.assumed, [{ kind: 'alignment' }]);
    assert.equal(fact.certainty, 'conditional');
  });

  it('makes a figure hold from a value on, if it is a factor on the distance of lanes', async () => {
    const fact = await accessOf('a[t * n] = 1;');
    assert.equal(fact.certainty, 'conditional');
    assert.deepEqual(strideOf(fact), { kind: 'stride', name: 'n', from: 8, otherwise: 1 });
    assert.equal(ratio(fact), 8);
    assert.equal(strideOf(await accessOf('a[t * n * m] = 1;'))?.name, 'n * m');
    assert.equal(strideOf(await accessOf('a[2 * t * n] = 1;'))?.from, 4);
  });

  it('is the length of rows where the kernel walks along them', async () => {
    assert.equal(strideOf(await accessOf('for (int c = 0; c < n; c++) a[i * n + c] = 1;'))?.rows, true);
    assert.equal(strideOf(await accessOf('a[t * n] = 1;'))?.rows, undefined);
  });

  it('is not a figure where lanes depend on it in another way', async () => {
    for (const index of ['(t + n) / 3', 't / n']) {
      const fact = await accessOf(`a[${index}] = 1;`);
      assert.notEqual(fact.certainty, 'proven', index);
    }
  });

  it('keeps products of many unknowns apart from 0', async () => {
    const fact = await accessOf('a[n * m * n * m * n * 8 + t * 2] = 1;');
    assert.deepEqual([fact.certainty, ratio(fact)], ['proven', 2]);
  });

  it('asks for a block only where the figure depends on it', async () => {
    const unseen = 'k2<<<1, 1>>>();';
    const more = '__global__ void k2() {}';
    assert.deepEqual((await accessOf('a[i] = 1;', more, unseen)).assumed, []);
    const narrow = await accessOf('a[t * 8 + threadIdx.y] = 1;', more, unseen);
    assert.deepEqual(
      narrow.assumed.map((one) => one.kind),
      ['block'],
    );
  });
});

describe('a loop', () => {
  it('of any length is counted as often as it iterates', async () => {
    const fact = await accessOf('for (int j = 0; j < 5000; j++) a[j * 64 + t] = 1;');
    assert.deepEqual([fact.certainty, ratio(fact), fact.executions], ['proven', 1, 8 * 5000]);
    assert.equal(fact.loops[0]!.trips, 5000);
  });

  it('that counts down iterates as often', async () => {
    assert.equal((await accessOf('for (int j = 99; j >= 0; j--) a[j * 64 + t] = 1;')).loops[0]!.trips, 100);
  });

  it('is run iteration by iteration where its number decides a condition', async () => {
    const fact = await accessOf('for (int j = 0; j < 64; j++) if (j % 2 == 0) a[j * 64 + t] = 1;');
    assert.deepEqual([fact.executions, fact.certainty], [8 * 32, 'proven']);
  });

  it('is run iteration by iteration where its number is a distance of lanes', async () => {
    const fact = await accessOf('for (int j = 1; j <= 4; j++) a[j * t] = 1;');
    assert.equal(fact.sectors, (4 + 8 + 12 + 16) / 4);
  });

  it('leaves later statements reached, however deep it is', async () => {
    const nest = 'for (int p = 0; p < n; p++) for (int q = 0; q < b[p]; q++) for (int r = 0; r < b[q]; r++) a[r] += q;';
    const facts = await accessesOf(
      `__global__ void k(float *a, float *out, const int *b, int n) { int t = threadIdx.x;\n${nest}\nout[t * 64] = 1;\n}\n`,
    );
    assert.equal(ratio(facts.find((fact) => fact.array.name === 'out')!), 8);
  });
});

describe('constants', () => {
  it('that double in a chain of thousands take no time', async function () {
    this.timeout(8000);
    const chain = Array.from({ length: 3000 }, (_, at) => `constexpr int c${at + 1} = c${at} + c${at};`).join('\n');
    await accessOf('a[t * c3000] = 1;', `constexpr int c0 = 1;\n${chain}`);
  });
});
