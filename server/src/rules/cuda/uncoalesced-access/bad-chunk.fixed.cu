// Every thread scales a run of neighbouring elements.
__global__ void scaleRuns(float *values, float factor, int n, int perThread) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  // Each thread takes its own run.
  for (int i = t; i < n; i += gridDim.x * blockDim.x) {
    values[i] *= factor;
  }
}

void scale(float *values, float factor) {
  const int n = 1 << 24;
  const int perThread = 64;
  const int threads = 128;
  const int blocks = (n / perThread + threads - 1) / threads;
  scaleRuns<<<blocks, threads>>>(values, factor, n, perThread);
}
