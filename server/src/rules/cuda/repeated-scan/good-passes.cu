// Each pass stores to another row.
__global__ void paths(float *cost, int rows) {
  int t = threadIdx.x;
  for (int row = 1; row < rows; row++) {
    cost[row * 256 + t] += cost[(row - 1) * 256 + (t + 1) % 256];
    __syncthreads();
  }
}

// Two passes pay for no copy to shared memory.
__global__ void twice(float *ring) {
  int t = threadIdx.x, first = blockIdx.x * 256;
  for (int step = 0; step < 2; step++) {
    float sum = ring[first + (t + 255) % 256] + ring[first + (t + 1) % 256];
    __syncthreads();
    ring[first + t] = 0.5f * sum;
    __syncthreads();
  }
}

// It is in shared memory.
__global__ void staged(float *ring, int steps) {
  __shared__ float part[256];
  int t = threadIdx.x, first = blockIdx.x * 256;
  part[t] = ring[first + t];
  __syncthreads();
  for (int step = 0; step < steps; step++) {
    float sum = part[(t + 255) % 256] + part[(t + 1) % 256];
    __syncthreads();
    part[t] = 0.5f * sum;
    __syncthreads();
  }
  ring[first + t] = part[t];
}

// Data decide which elements a thread reads: those of other blocks as well.
__global__ void jump(int *next, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < steps; step++) {
    int after = next[next[i]];
    __syncthreads();
    next[i] = after;
    __syncthreads();
  }
}

// No thread reads what another one stored.
__global__ void alone(float *values, const float *weights, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < steps; step++) {
    values[i] = values[i] * weights[step];
    __syncthreads();
  }
}

void launch(float *cost, float *ring, int *next, const float *weights, int blocks, int rows) {
  paths<<<1, 256>>>(cost, rows);
  twice<<<blocks, 256>>>(ring);
  staged<<<blocks, 256>>>(ring, rows);
  jump<<<1, 256>>>(next, rows);
  alone<<<blocks, 256>>>(cost, weights, rows);
}
