// The unrolled end of a reduction within each warp: one finding for its steps, one fix for all of them.
__global__ void rows(const float *in, float *out) {
   __shared__ volatile float sums[128];
   int t = threadIdx.x, lane = t & 31;
   sums[t] = in[blockIdx.x * 128 + t];
   if (lane < 16) sums[t] += sums[t + 16];
   //                        ^^^^^^^^^^^^ unseen-write-in-warp
   if (lane < 8) sums[t] += sums[t + 8];
   if (lane < 4) sums[t] += sums[t + 4];
   if (lane < 2) sums[t] += sums[t + 2];
   if (lane < 1) sums[t] += sums[t + 1];
   if (lane == 0) out[blockIdx.x * 4 + t / 32] = sums[t];
}

// Bodies of loops that are indented otherwise than the function.
__global__ void tiles(const float *in, float *out, int n) {
   __shared__ float tile[128];
   float sum = 0;
   for (int i = 0; i < n; i += 128) {
        tile[threadIdx.x] = in[i + threadIdx.x];
//      ^^^^^^^^^^^^^^^^^ overwritten
        __syncthreads();
        for (int j = 0; j < 128; j++) sum += tile[j];
   }
   out[threadIdx.x] = sum;
}

void run(const float *in, float *out) {
  rows<<<132, 128>>>(in, out);
  tiles<<<132, 128>>>(in, out, 4096);
}
