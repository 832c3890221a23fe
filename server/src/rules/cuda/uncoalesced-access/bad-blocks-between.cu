// Counts in the order that a scan over all blocks wants: what lies between two lanes belongs to the other blocks.
__global__ void count(const unsigned *keys, unsigned *counts, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&own[keys[i] & 255], 1u);
  __syncthreads();
  counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}

void launch(const unsigned *keys, unsigned *counts, int n) { count<<<(n + 255) / 256, 256>>>(keys, counts, n); }
