// cuda/host-memory: host memory that comes to the GPU by detours, pageable or managed.
import { defineRule } from '../../rule';

export default defineRule<'runtime-call', 'staged' | 'faults'>({
  meta: {
    id: 'cuda/host-memory',
    since: '0.2.0',
    family: 'cuda',
    severity: 'information',
    fixable: 'no',
    summary: 'Pageable memory in copies that are to overlap, or managed memory that a kernel fetches page by page.',
    docs: {
      what:
        'Reports `cudaMemcpyAsync` on a stream, between two waits beside work of another stream, where the host ' +
        'memory is a variable that comes from `malloc`, `new` or a `std::vector` in the same function, and the first ' +
        'launch that is given memory of `cudaMallocManaged` whose elements the host wrote before.',
      why:
        'The driver copies pageable memory through a buffer, and the host waits meanwhile: it hands the next stream ' +
        'its work too late. Copies, kernels and copies back on four streams of an H200 took 2.1 times as long as ' +
        'with pinned memory at 16 KiB a copy, 7 to 8 times from 256 KiB (`lab/programs/host-memory.cu`, CUDA 13.0). ' +
        'Managed memory comes when a thread faults on it: a kernel that adds one to 1 MiB took 2.3 to 3 times as ' +
        'long as a prefetch and the kernel, 5 to 7 times from 16 MiB.',
      whenNot:
        'Silent for memory from elsewhere or handed to functions that are not seen, programs that register memory, ' +
        'the default stream, programs that prefetch or advise, and less than a page. Where the GPU reads the memory ' +
        'of the host itself, as on Grace Hopper, there is little to gain. Pinned memory takes long to allocate: ' +
        'allocate it once.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Pinned Memory',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#pinned-memory',
        },
        {
          title: 'CUDA Runtime API, API synchronization behavior',
          url: 'https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html',
        },
      ],
    },
    messages: {
      staged:
        '`{name}` of pageable memory does not overlap. The driver stages `{array}`, which comes from `{from}`, and ' +
        'other streams wait. Allocate it with `cudaMallocHost`.',
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
    example: { name: 'cudaMemcpyAsync', array: 'host', from: 'malloc' },
  },
  on: 'runtime-call',
  *check({ name, ofHost }) {
    if (!ofHost) return;
    const { at, array, from = '' } = ofHost;
    yield { at, message: from ? 'staged' : 'faults', confidence: 'assumed', data: { name, array, from } };
  },
});
