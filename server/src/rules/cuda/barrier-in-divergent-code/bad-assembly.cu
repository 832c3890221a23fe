// Without a number of threads a barrier of inline assembly waits for all of the block.
__global__ void halves(const float *in, float *out) {
  __shared__ float part[128];
  if (threadIdx.x < 128) {
    part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    asm volatile("bar.sync 0;" ::: "memory");
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ block-barrier error
    out[blockIdx.x * 128 + threadIdx.x] = part[127 - threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x == 128) out[blockIdx.x * 128] += part[0];
}

void launch(const float *in, float *out) { halves<<<1000, 256>>>(in, out); }
