// A barrier with a number of threads behind its name waits for that many: half of a block meets there, the other half does not.
__device__ void meet(int name, int threads) {
  asm volatile("barrier.sync.aligned %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

__global__ void producers(const float *in, float *out) {
  __shared__ float part[128];
  if (threadIdx.x < 128) {
    part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    meet(1, 128);
    asm volatile("bar.sync 2, 128;");
    out[blockIdx.x * 128 + threadIdx.x] = part[127 - threadIdx.x];
  }
}

void launch(const float *in, float *out) { producers<<<1000, 256>>>(in, out); }
