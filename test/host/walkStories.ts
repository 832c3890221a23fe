// The four stories of optimisation as data: which files are opened, what is measured, what is found, and what is clicked.

/** A fix that is taken by its title from the menu of a finding. */
export interface Click {
  readonly rule: string;
  readonly titled: RegExp;
  /** What the text has then, and has no more. */
  readonly has?: RegExp;
  readonly lacks?: RegExp;
}

export interface Chapter {
  readonly title: string;
  readonly file: string;
  /** A recorded report of the file as it is: one of Nsight Compute becomes a step of `steps`, a timeline is laid over it. */
  readonly measured?: string;
  /** The table that the step is in. */
  readonly steps?: string;
  /** What is found from the text alone, and what the report says of it. */
  readonly found?: string;
  readonly verdict?: RegExp;
  /** What no edit can do, before and after the clicks: the finding's words must tell how it is done. */
  readonly byHand?: readonly [rule: string, words: RegExp];
  readonly clicks?: readonly Click[];
  /** The file that the clicks make, first line aside. */
  readonly becomes?: string;
  /** The recorded report of that file: the next step. */
  readonly then?: string;
  /** What the lens above the kernel says of what was measured. */
  readonly lens?: RegExp;
  /** Nothing is found behind the last click. */
  readonly silent?: true;
}

export interface Walk {
  readonly title: string;
  readonly chapters: readonly Chapter[];
  /** For each table: its rows as exported, as far as the times. */
  readonly tables: Readonly<Record<string, readonly RegExp[]>>;
}

const solver = 'openacc/conjugate-gradient';
const sparse = (vector: RegExp, lanes: RegExp, workers: RegExp): readonly Click[] => [
  { rule: 'acc/missing-data-region', titled: /^Add `data copyin\(/, has: /acc data copyin\(/ },
  { rule: 'acc/missing-mapping', titled: /^Give the loop over `entry` to vector lanes/, has: vector },
  { rule: 'acc/vector-length', titled: /^Use vector_length\(32\)$/, has: lanes },
  { rule: 'acc/missing-workers', titled: /^Use 4 workers/, has: workers },
];
const chosen: readonly Click[] = [
  { rule: 'acc/vector-length', titled: /vector\(32\)/, has: /loop .*vector\(32\)/ },
  { rule: 'acc/missing-workers', titled: /4 workers/, has: /gang.* worker\(4\)/ },
];

export const walks: readonly Walk[] = [
  {
    title: '1, analysis-driven optimisation',
    chapters: [
      {
        title: 'a row for each thread',
        file: 'ado/1-row-per-thread.cu',
        measured: '1-row-per-thread.ncu-rep',
        steps: 'average',
        found: 'cuda/uncoalesced-access',
        verdict: /^Confirmed: 8\.0× sectors/,
        byHand: ['cuda/matrix-product', /Each block multiplies `matrix` by a separate vector/],
        clicks: [
          {
            rule: 'cuda/uncoalesced-access',
            titled: /^One warp of the block per row/,
            has: /vector < vectorsPerSet; vector \+= 32/,
            lacks: /vectorLength \+ t\) \* vectorsPerSet/,
          },
          { rule: 'cuda/shared-sweep-reduction', titled: /with shuffles/, has: /__shfl_down_sync/, lacks: /s >>= 1/ },
        ],
      },
      {
        title: 'one warp per row',
        file: 'ado/2-coalesced.cu',
        measured: '2-coalesced.ncu-rep',
        steps: 'average',
        found: 'cuda/shared-sweep-reduction',
        verdict: /^Confirmed: \d+ % of its samples wait on barrier, short scoreboard or MIO throttle/,
        byHand: ['cuda/matrix-product', /Each block multiplies `matrix` by a separate vector/],
        clicks: [
          { rule: 'cuda/shared-sweep-reduction', titled: /with shuffles/, has: /__shfl_down_sync/, lacks: /s >>= 1/ },
        ],
      },
      {
        title: 'shuffles: what is left is a matrix product, for a library',
        file: 'ado/3-shuffle.cu',
        measured: '3-shuffle.ncu-rep',
        steps: 'average',
        found: 'cuda/matrix-product',
        verdict: /^Confirmed: \d+ % of its samples wait on long scoreboard or lg throttle, 2\d\.\d % of/,
        clicks: [
          {
            rule: 'cuda/matrix-product',
            titled: /^Store the vectors; call cublasSgemm/,
            has: /cublasSgemm\(handle, CUBLAS_OP_T, CUBLAS_OP_N, vectorLength, sets, vectorLength/,
            lacks: /warpSums/,
          },
        ],
        silent: true,
      },
      {
        title: 'averages, then cuBLAS',
        file: 'ado/4-averages-then-cublas.cu',
        measured: '4-averages-then-cublas.ncu-rep',
        steps: 'average',
        lens: /^481\.7 µs · near the DRAM limit/m,
        silent: true,
      },
    ],
    tables: {
      average: [
        /^baseline \| 3\.53 ms/,
        /^step 1 \| 1\.87 ms \*\*1\.89×/,
        /^step 2 \| 1\.26 ms \*\*2\.80×/,
        /^step 3 \| {2}\| 482 µs \| .* \| 507 µs \*\*6\.97×/,
      ],
    },
  },
  {
    title: '2, a profiling lab',
    chapters: [
      {
        title: '00: allocations in a loop',
        file: 'allocation/allocate-each-turn.cu',
        measured: 'allocate-each-turn.sqlite',
        found: 'cuda/alloc-in-loop',
        verdict:
          /^Confirmed: cudaMalloc and cudaFree were called 260 times; the GPU idled for 21\.8 ms meanwhile, 59 %/,
        clicks: [
          {
            rule: 'cuda/alloc-in-loop',
            titled: /out of the loop|around the loop/i,
            has: /cudaMalloc[^\n]*\n(?:[^\n]*\n)?\s*for \(int turn/,
            lacks: /for \(int turn[^}]*cudaMalloc/,
          },
        ],
        becomes: 'allocation/allocate-each-turn.fixed.cu',
        silent: true,
      },
      {
        title: '01: a chunk for each thread',
        file: 'vector-addition/chunk-per-thread.cu',
        measured: 'chunk-per-thread.ncu-rep',
        steps: 'addition',
        found: 'cuda/uncoalesced-access',
        verdict: /^Confirmed: \d+\.\d× sectors/,
        clicks: [
          {
            rule: 'cuda/uncoalesced-access',
            titled: /grid-stride/i,
            has: /i \+= (?:gridDim\.x \* blockDim\.x|blockDim\.x \* gridDim\.x)/,
            lacks: /\* perThread; i </,
          },
        ],
        becomes: 'vector-addition/chunk-per-thread.fixed.cu',
        then: 'chunk-per-thread.fixed.ncu-rep',
        silent: true,
      },
      {
        title: '02: a branch on the data, where there is nothing to do',
        file: 'convolution/data-branch.cu',
        measured: 'data-branch.ncu-rep',
        steps: 'convolution',
        found: 'cuda/divergent-branch',
        verdict: /^Not a problem here: no divergence measured, 32\.0 of 32 threads active/,
      },
      {
        title: '03: a tail of a warp',
        file: 'tail/partial-warp.cu',
        found: 'cuda/block-shape',
        // 1.02× is predicted: too little for an edit.
        byHand: ['cuda/block-shape', /24 of 1024 lanes are idle/],
      },
      {
        title: '04: a wait after each launch',
        file: 'launches/synchronise-each.cu',
        measured: 'synchronise-each.sqlite',
        found: 'cuda/sync-in-loop',
        verdict: /^Confirmed: cudaDeviceSynchronize was called 1201 times; the GPU idled for 159\.1 ms meanwhile, 90 %/,
        clicks: [
          {
            rule: 'cuda/sync-in-loop',
            titled: /after the loop/i,
            has: /\}\n\s*cudaDeviceSynchronize\(\);/,
            lacks: /relax<<<[^\n]*\n\s*cudaDeviceSynchronize/,
          },
        ],
        becomes: 'launches/synchronise-each.fixed.cu',
        silent: true,
      },
      {
        title: '04, then a graph: the same short launches on each iteration',
        file: 'launches/same-launches.cu',
        measured: 'same-launches.sqlite',
        found: 'cuda/launch-in-loop',
        verdict: /^Confirmed: cudaLaunchKernel was called 4800 times; the GPU idled for [\d.]+ ms meanwhile, 51 %/,
        clicks: [
          {
            rule: 'cuda/launch-in-loop',
            titled: /^Launch a graph of one iteration/,
            has: /for \(int round[^\n]*\n\s*cudaGraphLaunch\(graphExec, stream\);/,
            lacks: /for \(int round[^}]*relax<<</,
          },
        ],
        becomes: 'launches/same-launches.fixed.cu',
        silent: true,
      },
      {
        title: '06: blocking copies',
        file: 'copies/blocking-copies.cu',
        measured: 'blocking-copies.sqlite',
        found: 'cuda/sync-in-loop',
        verdict: /^Confirmed: cudaMemcpy was called 192 times, 768\.0 MiB; the GPU idled for 2\.8 ms meanwhile, 7\.7 %/,
        clicks: [
          {
            rule: 'cuda/sync-in-loop',
            titled: /cudaMemcpyAsync/,
            has: /cudaMemcpyAsync\(out \+ first/,
            lacks: /cudaMemcpy\(out \+ first/,
          },
        ],
        becomes: 'copies/blocking-copies.fixed.cu',
        silent: true,
      },
      {
        title: '07: kernels that could be one',
        file: 'fusion/bias-then-silu.cu',
        measured: 'bias-then-silu.ncu-rep',
        steps: 'activation',
        found: 'cuda/fusable-kernels',
        verdict: /^Confirmed: \d+ % of its samples wait on long scoreboard or lg throttle/,
        clicks: [
          {
            rule: 'cuda/fusable-kernels',
            titled: /^Fuse into one kernel, `addBias_silu`/,
            has: /addBias_silu<<<blocks, threads>>>\(/,
            lacks: /[^_]silu<<<blocks/,
          },
        ],
        becomes: 'fusion/bias-then-silu.fixed.cu',
        then: 'bias-then-silu.fixed.ncu-rep',
        silent: true,
      },
    ],
    tables: {
      addition: [/^baseline \| 1\.94 ms/, /^step 1 \| 220 µs \*\*8\.83×/],
      activation: [/^baseline \|.*\| 461 µs \|/, /^step 1 \|.*\| 281 µs \*\*1\.64×/],
      convolution: [/^baseline \| 4\d(?:\.\d+)? µs/],
    },
  },
  {
    title: '3, the sparse product of a solver with OpenACC',
    chapters: [
      {
        title: 'a parallel loop in C, from arrays that travel to workers',
        file: `${solver}/1-naive.c`,
        clicks: sparse(/loop vector reduction\(\+:sum\)/, /vector_length\(32\)/, /gang worker num_workers\(4\)/),
        silent: true,
      },
      {
        title: 'a parallel loop in Fortran, from arrays that travel to workers',
        file: `${solver}/1-naive.f90`,
        clicks: sparse(/loop vector reduction\(\+:total\)/, /vector_length\(32\)/, /gang worker num_workers\(4\)/),
        silent: true,
      },
      {
        title: 'the four clicks measured: the kernel alone, without the copies that the first one saves',
        file: `${solver}/1-naive.c`,
        measured: 'conjugate-gradient-1-naive.c.ncu-rep',
        steps: 'solver',
        found: 'acc/missing-mapping',
        verdict: /^Confirmed: 3\.6× sectors/,
        clicks: sparse(/loop vector reduction\(\+:sum\)/, /vector_length\(32\)/, /gang worker num_workers\(4\)/),
        becomes: `${solver}/1-naive.fixed.c`,
        then: 'conjugate-gradient-1-naive.fixed.c.ncu-rep',
        silent: true,
      },
      ...['c', 'f90'].flatMap((ending): Chapter[] => [
        {
          title: `128 lanes for rows of 27 entries (${ending})`,
          file: `${solver}/2-vector-128.${ending}`,
          measured: `conjugate-gradient-2-vector-128.${ending}.ncu-rep`,
          steps: `product-${ending}`,
          found: 'acc/vector-length',
          verdict: /^Confirmed: 6[78] % of its samples wait on barrier/,
          clicks: [{ rule: 'acc/vector-length', titled: /^Use vector_length\(32\)$/, has: /vector_length\(32\)/ }],
          becomes: `${solver}/3-vector-32.${ending}`,
          then: `conjugate-gradient-3-vector-32.${ending}.ncu-rep`,
        },
        {
          title: `then a warp a gang (${ending})`,
          file: `${solver}/3-vector-32.${ending}`,
          steps: `product-${ending}`,
          found: 'acc/missing-workers',
          clicks: [{ rule: 'acc/missing-workers', titled: /4 workers/, has: /gang worker num_workers\(4\)/ }],
          becomes: `${solver}/4-workers.${ending}`,
          then: `conjugate-gradient-4-workers.${ending}.ncu-rep`,
          silent: true,
        },
      ]),
      {
        title: 'kernels in C, where the compiler chose',
        file: `${solver}/kernels-1-compiler-chooses.c`,
        clicks: chosen,
        silent: true,
      },
      {
        title: 'kernels in Fortran, where the compiler chose',
        file: `${solver}/kernels-1-compiler-chooses.f90`,
        clicks: chosen,
        silent: true,
      },
    ],
    tables: {
      solver: [/^baseline \| 291 µs/, /^step 1 \| 242 µs \*\*1\.20×/],
      'product-c': [/^baseline \| 6\.04 ms/, /^step 1 \| 309 µs \*\*19\.5×/, /^step 2 \| 242 µs \*\*25\.0×/],
      'product-f90': [/^baseline \| 5\.89 ms/, /^step 1 \| 319 µs \*\*18\.4×/, /^step 2 \| 266 µs \*\*22\.1×/],
    },
  },
  {
    title: '4, a bank conflict in a matrix product',
    chapters: [
      {
        title: 'float4 loads that meet in the banks',
        file: 'matrix-product/register-tiled.cu',
        measured: 'register-tiled.ncu-rep',
        steps: 'product',
        found: 'cuda/bank-conflict',
        verdict: /^Confirmed: 2\.0× wavefronts/,
        clicks: [
          {
            rule: 'cuda/bank-conflict',
            titled: /^Swizzle columns of `tileB`/,
            has: /tileB\[d\]\[column \^/,
            lacks: /tileB\[d\]\[column\]/,
          },
        ],
      },
      {
        title: "the story's own form, four columns twice",
        file: 'matrix-product/register-tiled.fixed.cu',
        measured: 'register-tiled.fixed.ncu-rep',
        steps: 'product',
        silent: true,
      },
    ],
    tables: { product: [/^baseline \| 470 µs/, /^step 1 \| 441 µs \*\*1\.07×/] },
  },
];
