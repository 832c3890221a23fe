// The rest of the data behind whole vectors, which no modelled block has; counts in the order of a scan over all blocks.
__global__ void chunks(const float *in, float *out, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 32;
  if (first + 32 <= n) {
    for (int i = first; i < first + 32; i += 4)
      *reinterpret_cast<float4 *>(&out[i]) = *reinterpret_cast<const float4 *>(&in[i]);
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ chunk-per-thread warning
//                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
  } else {
    for (int i = first; i < n; i++) out[i] = in[i];
//                                  ^^^^^^ chunk-per-thread hint
//                                           ^^^^^ row-per-thread hint
  }
}

__global__ void counts(const int *keys, int *counters, int blocks) {
  __shared__ int starts[16];
  if (threadIdx.x < 16) starts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&starts[keys[blockIdx.x * blockDim.x + threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) counters[threadIdx.x * blocks + blockIdx.x] = starts[threadIdx.x];
//                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}

void run(const float *in, float *out, const int *keys, int *counters, int n, int blocks) {
  chunks<<<(n + 8191) / 8192, 256>>>(in, out, n);
  counts<<<blocks, 256>>>(keys, counters, blocks);
}
