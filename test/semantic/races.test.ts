// Races of shared memory, compared with what compute-sanitizer's racecheck found in the same kernels on a GPU.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

const folder = join(__dirname, 'races');
const recorded = JSON.parse(readFileSync(join(folder, 'racecheck.json'), 'utf8')) as {
  readonly found: Readonly<Record<string, 'error' | 'warning'>>;
};

/** Racy, and not reported: data decide which threads come, or how often. */
const missed = ['bitonic_sort_without_barrier', 'max_with_index_without_barrier'];
/** Racy, and not reported by racecheck, which compares no atomic with a plain access. */
const besideAtomics = ['counter_all_add_beside_set', 'counter_read_beside_atomics', 'histogram_without_first_barrier'];

async function modelOf(text: string): Promise<Model> {
  const workspace = await memoryWorkspace(new Map());
  return workspace.analyse(memoryUri('suite.cu'), { text, version: 1 })!.model;
}

describe('races against racecheck', () => {
  let model: Model;
  let told: ReadonlyMap<string, 'error' | 'warning'>;
  before(async () => {
    model = await modelOf(readFileSync(join(folder, 'suite.cu'), 'utf8'));
    const gravest = new Map<string, 'error' | 'warning'>();
    for (const { kernels, scope, memory } of model.facts.race)
      for (const kernel of kernels)
        if (memory === 'shared' && !besideAtomics.includes(kernel) && (scope === 'block' || !gravest.has(kernel)))
          gravest.set(kernel, scope === 'block' ? 'error' : 'warning');
    told = gravest;
  });

  it('has kernels of both kinds', () => {
    const kernels = model.facts.kernel.map(({ name }) => name);
    const racy = kernels.filter((name) => recorded.found[name]);
    ok(racy.length >= 40 && kernels.length - racy.length >= 40, `${racy.length} of ${kernels.length}`);
    deepStrictEqual(Object.keys(recorded.found).sort(), racy.sort());
  });
  it('tells none that racecheck does not', () => {
    deepStrictEqual(
      [...told.keys()].filter((kernel) => !recorded.found[kernel]),
      [],
    );
  });
  it('reports what is beside atomics, which racecheck leaves out', () => {
    const kernels = model.facts.race.flatMap((race) => (race.memory === 'shared' ? race.kernels : []));
    for (const kernel of besideAtomics) ok(kernels.includes(kernel) && !recorded.found[kernel], kernel);
  });
  it('tells nine of ten', () => {
    deepStrictEqual(
      Object.keys(recorded.found).filter((kernel) => !told.has(kernel)),
      missed,
    );
    ok(missed.length <= 0.1 * Object.keys(recorded.found).length);
  });
  it('parts warps and lanes of one warp as racecheck does', () => {
    for (const [kernel, scope] of told) deepStrictEqual([kernel, scope], [kernel, recorded.found[kernel]]);
  });

  it('tells none that racecheck does not where the sizes of blocks come from the command line', async () => {
    const text = readFileSync(join(folder, 'suite.cu'), 'utf8');
    // A launch of one dimension asks its caller for the number of threads; those of `dim3` stay as they are.
    const open = text.replace(/<<<([^,<>()]+), *(?!dim3)([^,<>()]+)(,[^<>]*)?>>>/g, '<<<$1, threadsOf($2)$3>>>');
    ok(open.split('threadsOf(').length > 60, 'the launches are found');
    const { facts } = await modelOf(`int threadsOf(int usual);\n${open}`);
    const supposed = facts.race.filter(
      ({ supposed: block, memory, kernels }) => block && memory === 'shared' && !besideAtomics.includes(kernels[0]!),
    );
    for (const { kernels, scope } of supposed)
      for (const kernel of kernels)
        deepStrictEqual([kernel, scope === 'block' ? 'error' : 'warning'], [kernel, recorded.found[kernel]]);
    ok(supposed.length >= 9, `${supposed.length} are reported`);
  });
});
