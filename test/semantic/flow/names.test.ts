// What a callee without a body is called decides nothing: it may read what a copy brings, or queue other work.
import assert from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../../support/analyseText';

const program = (callee: string, wait: string): string => `
__global__ void relax(float *field, int n) { field[threadIdx.x] *= 0.5f; }
float *host;
void ${callee}(int turn);
void run(float *field, int n, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    relax<<<n, 256>>>(field, n);
    ${wait}
    ${callee}(turn);
  }
}
`;

/** Names that libraries have, too: what the program declares goes before them. */
const ofLibraries = ['move', 'round', 'swap', 'min', 'string', 'setw', 'rand', 'assert', 'printf', 'cudaCheck'];

describe('a function without a body', () => {
  for (const wait of ['cudaMemcpy(host, field, n * 4, cudaMemcpyDeviceToHost);', 'cudaDeviceSynchronize();'])
    for (const callee of [
      'checkpoint',
      'handleOutput',
      'gpuError',
      'processTickets',
      'elapsedYears',
      'save',
      ...ofLibraries,
    ])
      it(`${callee} makes ${wait} needed`, async () => {
        const workspace = await memoryWorkspace(new Map());
        const { model } = workspace.analyse(memoryUri(`${callee}.cu`), { text: program(callee, wait), version: 1 })!;
        const waits = model.facts['runtime-call'].filter((fact) => fact.wait !== undefined);
        assert.equal(waits.length, 1);
        assert.deepEqual(
          waits.map((fact) => [fact.wait!.needed, fact.wait!.edits]),
          [[true, undefined]],
        );
      });
});
