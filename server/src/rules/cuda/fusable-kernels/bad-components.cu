// trades for: cuda/uncoalesced-access stride
// Components of one element: three places of each thread.
__global__ void move(float *positions, const float *velocities, float step, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) {
    positions[3 * i] += step * velocities[3 * i];
    positions[3 * i + 1] += step * velocities[3 * i + 1];
    positions[3 * i + 2] += step * velocities[3 * i + 2];
  }
}

__global__ void lengths(const float *positions, float *norms, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    norms[i] = sqrtf(positions[3 * i] * positions[3 * i] + positions[3 * i + 1] * positions[3 * i + 1] +
                     positions[3 * i + 2] * positions[3 * i + 2]);
}

void advance(float *positions, const float *velocities, float *norms, float step, int n) {
  move<<<(n + 63) / 64, 64>>>(positions, velocities, step, n);
  lengths<<<(n + 63) / 64, 64>>>(positions, norms, n);
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ fusable
}
