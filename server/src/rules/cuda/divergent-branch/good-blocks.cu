// A block that a `break` leaves is no loop.
__global__ void jacobi(const float4 *positions, const float *before, float *after, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float change = 0.0f;
  do {
    if (i >= n) break;
    const float4 p = positions[i];
    if (p.w == 0.0f) break;
    float sum = before[i] * p.x + p.y;
    sum += before[(i + 1) % n] * p.z + before[(i + 2) % n] * p.y + before[(i + 3) % n] * p.x;
    change = sum * sum - before[i] * sum + 2.0f * p.x * p.y * p.z;
    after[i] = sum;
  } while (0);
  if (__syncthreads_or(change > 1e-3f) && threadIdx.x == 0) after[n + blockIdx.x] = steps;
}

void run(const float4 *positions, const float *before, float *after, int n, int steps) {
  jacobi<<<(n + 127) / 128, 128>>>(positions, before, after, n, steps);
}
