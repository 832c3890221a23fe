// The hover of a kernel says its occupancy: by the figures of a build, a profile or the user, or none.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoverRequest, type MarkupContent } from 'vscode-languageserver-protocol/node';
import { modelRequest, type ModelAnswer } from '../../protocol/src/requests';
import { compilerFeedbackRequest, type KernelResources } from '../../protocol/src/compilerFeedback';
import { resourcesOfBuild, resourcesOfReport } from '../../profiler/src/build/kernelResources';
import { gatherKernels } from '../../profiler/src/overlay/kernels';
import { bytesSource, openReport } from '../../profiler/src/report';
import { multiprocessorLimits, occupancy } from '../../hardware/src/occupancy';
import { rangeOf, startEditor, uriOf, type Editor } from './support';

const text = `namespace solver {
__global__ void sweep(float *x, const float *y, int n) {
  __shared__ float tile[2048];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? y[i] : 0;
  __syncthreads();
  if (i < n) x[i] = tile[threadIdx.x];
}
}
__global__ void other(float *x) { x[threadIdx.x] = 1; }
void run(float *x, const float *y, int n) {
  solver::sweep<<<(n + 255) / 256, 256>>>(x, y, n);
}
`;
const uri = uriOf('sweep.cu');
const ptxas = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN6solver5sweepEPfPKfi' for 'sm_90'
ptxas info    : Function properties for _ZN6solver5sweepEPfPKfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 8192 bytes smem
`;

describe('occupancy in the hover', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  async function lines(kernel = 'sweep(float'): Promise<string[]> {
    const answer = await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri },
      position: rangeOf(editor.document(uri), kernel).start,
    });
    return ((answer?.contents as MarkupContent | undefined)?.value ?? '')
      .split('\n')
      .filter((line) => /occupancy|elsewhere|down|%/.test(line))
      .map((line) => line.replace(/^- /, ''));
  }
  const tell = (source: string, resources: readonly KernelResources[]) =>
    editor.connection.sendRequest(compilerFeedbackRequest, { source, resources });

  it('says how many registers are too many if their number is unknown, and nothing without a launch', async () => {
    editor = await startEditor({ settings: { gpu: 'H200' } });
    editor.open(uri, text);
    await tell('unknown', []);
    assert.deepEqual(await lines(), [
      'occupancy on H200: at most 100 %, up to 32 registers a thread; resources unknown: ' +
        'build with -Xptxas -v, open a profile or set `kernelResources`',
    ]);
    assert.deepEqual(await lines('other(float'), []);
  });

  it('by the registers and shared memory of a build, and in the model on every other GPU of the table', async () => {
    editor = await startEditor({ settings: { gpu: 'H200' } });
    editor.open(uri, text);
    await tell('the build', resourcesOfBuild(ptxas));
    assert.deepEqual(await lines(), [
      'occupancy 50 % on H200: 32 of 64 warps in 4 blocks, limited by registers; 64 registers a thread, 8192 bytes of ' +
        'shared memory a block (ptxas for sm_90)',
      '50 % → 63 % from 48 registers down: `__launch_bounds__(256, 5)` asks for that',
    ]);
    const model = await editor.connection.sendRequest<ModelAnswer>(modelRequest, { uri });
    assert.deepEqual(
      /^ *elsewhere: .*$/m.exec(model.text)?.map((line) => line.trim()),
      [
        'elsewhere: 100 % on T4, RTX 2080 Ti; 67 % on A10, A40, RTX A6000, RTX 3080, RTX 3090, Jetson AGX Orin, L4, L40S, ' +
          'RTX 4080, RTX 4090, RTX 6000 Ada, RTX 5080, RTX 5090, RTX PRO 6000, GB10; 50 % on V100, A100, A30, B200, B300',
      ],
    );
    await tell('the build', []);
    assert.match((await lines())[0]!, /at most 100 %/);
  });

  it('what the user gives counts before all, and what is no number is refused in one sentence', async () => {
    editor = await startEditor({ settings: { gpu: 'RTX 5090', kernelResources: { sweep: { registers: 96 } } } });
    editor.open(uri, text);
    await tell('the build', resourcesOfBuild(ptxas));
    assert.match((await lines())[0]!, /^occupancy 33 % on RTX 5090: 16 of 48 .*96 registers a thread \(settings\)/);
  });

  it('a kernel of another name, namespace or number of parameters is another, and what makes no sense is left out', async () => {
    editor = await startEditor({ settings: { gpu: 'H200' } });
    editor.open(uri, text);
    await tell('a', [
      { name: 'solver::sweeps', registers: 64, from: 'a' },
      { name: 'other::sweep', registers: 64, from: 'a' },
      { name: 'sweep', parameters: 2, registers: 64, from: 'a' },
      { name: 'sweep', registers: -1, from: 'a' },
    ]);
    assert.match((await lines())[0]!, /at most 100 %/);
    await tell('a', [{ name: 'sweep', parameters: 3, registers: 300, from: 'a' }]);
    assert.match((await lines())[0]!, /no block fits/);
  });

  it('reads from a recorded profile what Nsight Compute says of the same launch', async () => {
    editor = await startEditor();
    const bytes = readFileSync(join(__dirname, '../../samples/profiles/register-tiled.ncu-rep'));
    const kernels = (await gatherKernels(await openReport(bytesSource(new Uint8Array(bytes))), () => true))!;
    const [said] = resourcesOfReport('register-tiled.ncu-rep', kernels);
    assert.deepEqual(
      { name: said!.name, parameters: said!.parameters, from: said!.from },
      { name: 'multiply', parameters: 4, from: 'register-tiled.ncu-rep' },
    );
    const { block } = kernels[0]!.longest;
    const ours = occupancy(multiprocessorLimits(9.0)!, {
      threads: block[0] * block[1] * block[2],
      registers: said!.registers,
      staticSharedBytes: said!.sharedBytes ?? 0,
    });
    const theirs = kernels[0]!.figures!.occupancy!;
    assert.equal(ours.warps, theirs.theoretical);
    // Of shared memory ncu counts what the driver had set beside L1 for this launch, not what there is.
    assert.equal(theirs.limits.find(({ by }) => by === 'registers')!.blocks, ours.allowed.registers);
    assert.deepEqual(theirs.limiters, ours.limiters);
  });
});
