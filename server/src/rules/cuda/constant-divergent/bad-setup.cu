// A table that the lanes of a block read once, before they work: one place a lane, which shows where that work is short.
__constant__ int offsets[256];

__global__ void gatherRows(const float *in, float *out, int n) {
  __shared__ int own[256];
  own[threadIdx.x] = offsets[threadIdx.x];
//                   ^^^^^^^^^^^^^^^^^^^^ divergent warning
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += in[own[k % 256] + threadIdx.x];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(const float *in, float *out, int n) { gatherRows<<<1024, 256>>>(in, out, n); }
