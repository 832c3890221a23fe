// Between barriers each block goes over its part of an array in global memory again and again.
__global__ void bitonic(int *keys) {
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  for (int k = 2; k <= blockDim.x; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      int u = t ^ j;
      int mine = keys[first + t], other = keys[first + u];
      __syncthreads();
      bool low = (u > t) == !(t & k);
      keys[first + t] = low == (mine < other) ? mine : other;
//    ^^^^^^^^^^^^^^^ passes warning
      __syncthreads();
    }
}

__global__ void relax(float *ring, int steps) {
  int t = threadIdx.x, first = blockIdx.x * 256;
  for (int step = 0; step < steps; step++) {
    float sum = ring[first + (t + 255) % 256] + ring[first + (t + 1) % 256];
    __syncthreads();
    ring[first + t] = 0.5f * sum;
//  ^^^^^^^^^^^^^^^ passes warning
    __syncthreads();
  }
}

void launch(int *keys, float *ring, int blocks, int steps) {
  bitonic<<<blocks, 512>>>(keys);
  relax<<<blocks, 256>>>(ring, steps);
}
