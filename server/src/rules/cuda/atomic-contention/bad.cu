// Sums that all lanes of a warp add to one place.
__global__ void total(const float *x, const double *d, float *sum, double *ofBlock, unsigned long long *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(sum, x[i]);
//          ^^^ global
  atomicAdd(&ofBlock[blockIdx.x], d[i]);
//           ^^^^^^^^^^^^^^^^^^^ global
  atomicAdd(count, (unsigned long long)i);
//          ^^^^^ global
}

__global__ void inShared(const float *x, float *sums, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum, x[i]);
//                      ^^^ shared
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

void run(const float *x, const double *d, float *sum, double *ofBlock, unsigned long long *count, int n) {
  total<<<(n + 255) / 256, 256>>>(x, d, sum, ofBlock, count, n);
  inShared<<<(n + 255) / 256, 256>>>(x, sum, n);
}
