// cuda/host-memory: host memory that comes to the GPU by detours, pageable or managed.
import { defineRule } from '../../rule';
import docs from './docs.json';

export default defineRule<'runtime-call', 'staged' | 'few' | 'waits' | 'loop' | 'faults'>({
  meta: {
    id: 'cuda/host-memory',
    since: '0.2.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'no',
    summary: 'Pageable memory in copies that are to overlap, or managed memory that a kernel fetches page by page.',
    docs,
    messages: {
      staged:
        '`{name}` of pageable memory does not overlap. The driver stages `{array}`, which {from}, and other streams ' +
        'wait. Allocate it with `cudaMallocHost`.',
      few:
        '`{name}` of `{array}` on the stack: a copy to save. The driver stages it before the call returns, as fast ' +
        'as from pinned memory up to 64 KiB. Pass the value to the kernel as an argument instead.',
      loop:
        '`{name}` of pageable memory on each iteration. `{array}` {from}: the driver stages it, and the host ' +
        'waits meanwhile. Allocate it with `cudaMallocHost`, and wait for the copy before it is written again.',
      waits:
        '`{name}` to pageable memory blocks the host. `{array}` {from}: the host waits for all earlier work of the ' +
        'stream before it queues more. Allocate it with `cudaMallocHost`.',
      faults:
        '`{array}` comes to the GPU page by page. The host wrote this managed memory, and threads wait for each ' +
        'page. Call `cudaMemPrefetchAsync` for each such array before the launch.',
    },
    timeline: {
      metric: 'pageable',
      against: 'bytes',
      badWhen: 'metric / against >= 0.5',
      noneWhen: 'metric / against < 0.01',
    },
    example: { name: 'cudaMemcpyAsync', array: 'host', from: 'comes from `malloc`' },
  },
  on: 'runtime-call',
  *check({ name, ofHost }) {
    if (!ofHost) return;
    const { at, array, does } = ofHost;
    const from = ofHost.from === 'stack' ? 'is on the stack' : `comes from \`${ofHost.from}\``;
    const data = { name, array, from };
    yield { at, message: does, confidence: 'assumed', data, ...(does === 'few' && { severity: 'hint' }) };
  },
});
