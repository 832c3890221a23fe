// cuda/matrix-product: a kernel that multiplies two matrices, element by element or by tiles, as cuBLAS does.
import { defineRule, type Finding } from '../../rule';

type Message = 'element' | 'tiled' | 'blocks';

export default defineRule<'product', Message>({
  meta: {
    id: 'cuda/matrix-product',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'A hand-written matrix product for which cuBLAS has a call.',
    docs: {
      what:
        'Reports a loop over k that adds a row of one matrix times a column of another for each element of ' +
        'a third, from global memory or by tiles in shared memory. For the first form it gives the cuBLAS ' +
        'call with order and leading dimensions. Also reports one matrix multiplied by a separate vector ' +
        'in each block.',
      why:
        'On an H200 cuBLAS took a fifth to a ninth of the time of one thread per element in float (4.8 ' +
        'times at 1,024, 8.8 at 4,096), a tenth to a twelfth in double, and a fourth to a sixth of the ' +
        'time of tiles, without tensor cores; TF32 gains 2.5 times more. At 256 and below the kernel is as ' +
        'fast. A vector per block took 1.27 ms, one product in cuBLAS 0.50 ms.',
      whenNot:
        'Silent where the loop is known to be shorter than 512, for triangles, gathered rows, results that ' +
        'go through a function before they are stored, integer matrices and in-place products. Keep the ' +
        'kernel if it is for learning or fused with the next step.',
      fix:
        'Replaces the launches of a kernel of the first form by the call, with a handle for all of them, ' +
        'and removes the kernel where nothing else uses it. Where each block makes a vector in shared ' +
        'memory and ends with its product, the kernel stores the vectors to a new buffer instead, and one ' +
        'call after each launch multiplies them all. Unsafe: cuBLAS adds in another order, and the program ' +
        'must be linked with `-lcublas`.',
      references: [
        { title: 'cuBLAS, cublas<t>gemm()', url: 'https://docs.nvidia.com/cuda/cublas/index.html#cublas-t-gemm' },
        {
          title: 'cuBLAS, Data Layout',
          url: 'https://docs.nvidia.com/cuda/cublas/index.html#data-layout',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      element:
        'Matrix product `{left}` × `{right}`: cuBLAS is 4.8 times as fast for 1,024, and faster from 512 up. ' +
        'cuBLAS reads matrices by columns, so call `{call}`{unfixed}.',
      tiled:
        'Tiled matrix product `{left}` × `{right}`. `cublas{letter}gemm` is 1.6 times as fast for 512, and ' +
        '3.5 times for 1,024.',
      blocks:
        'Each block multiplies `{left}` by a separate vector. Together they are one matrix product: with ' +
        'the vectors in memory, `cublas{letter}gemm` reads the matrix once for many of them instead of ' +
        'once per block{unfixed}.',
    },
    // What a block reads of the matrix comes from L2 each time: its line waits for memory. Of the other forms no report
    // was recorded.
    evidence: {
      messages: ['blocks'],
      metric: 'smsp__pcsamp_warps_issue_stalled_long_scoreboard + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.4 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    example: {
      left: 'a',
      right: 'b',
      letter: 'S',
      call: 'cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, k, &one, b, n, a, k, &zero, c, n)',
    },
  },
  on: 'product',
  *check({ at, form, left, right, type, call, called, why, related }): Generator<Finding<Message>> {
    const letter = { float: 'S', double: 'D', half: 'H' }[type];
    yield {
      at,
      message: form,
      waste: form === 'blocks' ? { kind: 'part', part: [0, 0.8] } : { kind: 'product', double: type === 'double' },
      data: {
        left,
        right,
        letter,
        call: call ?? `cublas${letter}gemm`,
        unfixed: why === undefined ? '' : `. No fix is offered: ${why}`,
      },
      related,
      confidence: 'proven',
      fixes: called ? [{ title: called.title, applicability: 'unsafe', edits: called.edits }] : [],
    };
  },
});
