// How many warps of a block come to the barrier is what memory says, or a number out of sight: it may be all of them.
// Beside it a number in sight, which parts
// the threads for certain, and those that do not enter come to the next barrier.
__global__ void byLengths(float *cache, const float *in, const int *lengths) {
  __shared__ float staged[8][32];
  const int kept = lengths[blockIdx.x] % 8;
  const int place = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  if (threadIdx.y <= kept) {
    staged[threadIdx.y][threadIdx.x] = in[place];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ in-last-guard hint
    cache[place] = staged[threadIdx.y][31 - threadIdx.x];
  }
}

__global__ void byWindow(float *cache, const float *in, int window) {
  __shared__ float staged[8][32];
  const int place = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  if (threadIdx.y <= window % 8) {
    staged[threadIdx.y][threadIdx.x] = in[place];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ in-last-guard hint
    cache[place] = staged[threadIdx.y][31 - threadIdx.x];
  }
}

__global__ void byNumber(float *cache, const float *in) {
  __shared__ float staged[8][32];
  const int place = (blockIdx.x * 8 + threadIdx.y) * 32 + threadIdx.x;
  if (threadIdx.y <= 5) {
    staged[threadIdx.y][threadIdx.x] = in[place];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ block-barrier error
    cache[place] = staged[threadIdx.y][31 - threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.y > 5) cache[place] = staged[0][threadIdx.x];
}

void run(float *cache, const float *in, const int *lengths, int window) {
  byLengths<<<640, dim3(32, 8)>>>(cache, in, lengths);
  byWindow<<<640, dim3(32, 8)>>>(cache, in, window);
  byNumber<<<640, dim3(32, 8)>>>(cache, in);
}
