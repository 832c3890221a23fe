// The walk of a profiling lab by clicks alone, from recorded reports: open a task, lay its measurement over it, read the verdict, take the fix, see the finding go.
import * as assert from 'node:assert/strict';
import { commands, extensions, type Diagnostic, type TextDocument } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import {
  actionAt,
  activateExtension,
  closeAll,
  extensionId,
  findings,
  inWorkspace,
  perform,
  ruleOf,
  show,
  silence,
  until,
} from './support';

interface Step {
  readonly task: string;
  readonly sample: string;
  readonly measurement: string;
  readonly rule: string;
  readonly verdict: RegExp;
  /** What is clicked; absent where the verdict is that there is nothing to do. */
  readonly fix?: RegExp;
  /** What the text has then, and has no more. */
  readonly after?: readonly [has: RegExp, lacks: RegExp];
}

const lab: readonly Step[] = [
  {
    task: '00: allocations in a loop',
    sample: 'samples/allocation/allocate-each-turn.cu',
    measurement: 'allocate-each-turn.sqlite',
    rule: 'cuda/alloc-in-loop',
    verdict: /^Confirmed: cudaMalloc and cudaFree were called 260 times; the GPU idled for 21\.8 ms meanwhile, 59 %/,
    fix: /out of the loop|around the loop/i,
    after: [/cudaMalloc[^\n]*\n(?:[^\n]*\n)?\s*for \(int turn/, /for \(int turn[^}]*cudaMalloc/],
  },
  {
    task: '01: a chunk for each thread',
    sample: 'samples/vector-addition/chunk-per-thread.cu',
    measurement: 'chunk-per-thread.ncu-rep',
    rule: 'cuda/uncoalesced-access',
    verdict: /^Confirmed: \d+\.\d× sectors/,
    fix: /grid-stride/i,
    after: [/i \+= (?:gridDim\.x \* blockDim\.x|blockDim\.x \* gridDim\.x)/, /\* perThread; i </],
  },
  {
    task: '02: a branch on the data',
    sample: 'samples/convolution/data-branch.cu',
    measurement: 'data-branch.ncu-rep',
    rule: 'cuda/divergent-branch',
    verdict: /^Refuted: no divergent branch, 32\.0 of 32 threads active/,
  },
  {
    task: '04: a wait after each launch',
    sample: 'samples/launches/synchronise-each.cu',
    measurement: 'synchronise-each.sqlite',
    rule: 'cuda/sync-in-loop',
    verdict: /^Confirmed: cudaDeviceSynchronize was called 1201 times; the GPU idled for 159\.1 ms meanwhile, 90 %/,
    fix: /after the loop|behind the loop/i,
    after: [/\}\n\s*cudaDeviceSynchronize\(\);/, /relax<<<[^\n]*\n\s*cudaDeviceSynchronize/],
  },
  {
    task: '06: blocking copies',
    sample: 'samples/copies/blocking-copies.cu',
    measurement: 'blocking-copies.sqlite',
    rule: 'cuda/sync-in-loop',
    verdict: /^Confirmed: cudaMemcpy was called 192 times, 768\.0 MiB; the GPU idled for 2\.8 ms meanwhile, 7\.7 %/,
    fix: /cudaMemcpyAsync/,
    after: [/cudaMemcpyAsync\(out \+ first/, /cudaMemcpy\(out \+ first/],
  },
  {
    task: '04, then a graph: the same short launches on each iteration',
    sample: 'samples/launches/same-launches.cu',
    measurement: 'same-launches.sqlite',
    rule: 'cuda/launch-in-loop',
    verdict: /^Confirmed: cudaLaunchKernel was called 4800 times; the GPU idled for [\d.]+ ms meanwhile, 51 %/,
    fix: /Capture one iteration in a graph/,
    after: [/for \(int round[^\n]*\n\s*cudaGraphLaunch\(graphExec, stream\);/, /for \(int round[^}]*relax<<</],
  },
  {
    task: '07: kernels that could be one',
    sample: 'samples/fusion/bias-then-silu.cu',
    measurement: 'bias-then-silu.ncu-rep',
    rule: 'cuda/fusable-kernels',
    verdict: /^Confirmed: \d+% of its samples wait on long scoreboard or lg throttle/,
    fix: /Launch one kernel, `addBias_silu`/,
    after: [/addBias_silu<<<blocks, threads>>>\(/, /[^_]silu<<<blocks/],
  },
];

describe('walks', function () {
  this.timeout(60_000);
  let profile: ProfileApi;
  before(async () => {
    await activateExtension();
    ({ profile } = extensions.getExtension(extensionId)!.exports as { profile: ProfileApi });
  });
  afterEach(async () => {
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });

  const verdictOf = (document: TextDocument, { rule, verdict }: Step): Promise<Diagnostic> =>
    until(
      `${String(verdict)} on ${rule}; there are: ${findings(document)
        .map(({ message }) => message)
        .join(' | ')}`,
      () => findings(document).find((one) => ruleOf(one) === rule && verdict.test(one.message.split('\n')[1] ?? '')),
    );

  it('analysis-driven optimisation: one matrix for the vectors of all blocks, until cuBLAS takes it', async () => {
    for (const stage of ['1-row-per-thread', '2-coalesced', '3-shuffle']) {
      const { document } = await show(`samples/ado/${stage}.cu`);
      const finding = await until(`the product of ${stage}`, () =>
        findings(document).find((one) => ruleOf(one) === 'cuda/matrix-product'),
      );
      assert.match(finding.message, /Each block multiplies the same `matrix` by a vector of its own.*`cublasSgemm`/s);
      await closeAll();
    }
    const { document } = await show('samples/ado/4-averages-then-cublas.cu');
    await silence(document, 'cuda/matrix-product');
  });

  for (const step of lab)
    it(`the lab, task ${step.task}`, async () => {
      const { document } = await show(step.sample);
      await until(`${step.rule} from the text alone`, () =>
        findings(document).some((one) => ruleOf(one) === step.rule),
      );
      await commands.executeCommand('warplens.profile.layOver', inWorkspace(`samples/profiles/${step.measurement}`));
      assert.equal((profile.store.active ?? profile.timelines.active)?.name, step.measurement);
      const finding = await verdictOf(document, step);
      if (!step.fix || !step.after) return;
      await perform(await actionAt(document, finding.range, ({ title }) => step.fix!.test(title)));
      assert.match(document.getText(), step.after[0]);
      assert.doesNotMatch(document.getText(), step.after[1]);
      await silence(document, step.rule);
    });
});
