// cuda/matrix-product: a kernel that multiplies two matrices, element by element or by tiles, as cuBLAS does.
import type { ProductFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import docs from './docs.json';

type Message = ProductFact['form'];

export default defineRule<'product', Message>({
  meta: {
    id: 'cuda/matrix-product',
    since: '0.1.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'unsafe',
    summary: 'A hand-written matrix product for which cuBLAS has a call.',
    docs,
    messages: {
      element:
        'Matrix product `{left}` × `{right}`: cuBLAS is 4.8 times as fast for 1,024, and faster from 512 up. ' +
        'cuBLAS reads matrices by columns, so call `{call}`{unfixed}.',
      tiled:
        'Tiled matrix product `{left}` × `{right}`. `cublas{letter}gemm` is 1.6 times as fast for 512, and ' +
        '3.5 times for 1,024.',
      registers:
        'Matrix product `{left}` × `{right}` in tiles of registers. `cublas{letter}gemm` loads less from shared ' +
        'memory for each multiply-add, and can use tensor cores.',
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
