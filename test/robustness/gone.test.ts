// An editor that goes away in the middle of things takes nothing down: no error is left that no one handles.
import assert from 'node:assert/strict';
import { startEditor, uriOf } from '../server/support';

describe('a server whose editor has gone', function () {
  this.timeout(30_000);
  it('ends its search for launches in silence', async () => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 400; index++)
      files[`/project/part${index}.cu`] =
        `__global__ void k${index}(float *a) {}\nvoid f() { k${index}<<<1, 32>>>(nullptr); }\n`;
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => void unhandled.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', hear);
    try {
      for (const wait of [0, 1, 5, 20, 60, 150]) {
        const editor = await startEditor({ files });
        editor.open(uriOf('k.cu'), '__global__ void k(float *a) { a[threadIdx.x * 32] = 1; }\n');
        await new Promise((resolve) => setTimeout(resolve, wait));
        editor.stop();
      }
      await new Promise((resolve) => setTimeout(resolve, 1500));
    } finally {
      process.off('unhandledRejection', hear);
      for (const each of others) process.on('unhandledRejection', each);
    }
    assert.deepEqual(unhandled.map(String), []);
  });
});
