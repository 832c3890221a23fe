// The most probable state before each state, and the sums of rows whose bounds are written as elements; a stride over
// the grid in which a thread keeps a sum of all its rows.
__global__ void mostProbable(const float *transition, const float *before, float *probability, int *from, int states) {
  const int lane = threadIdx.x % 32;
  int state = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (state < states) {
    float most = 0.0f;
    int best = -1;
    for (int other = lane; other < states; other += 32) {
      float p = before[other] + transition[state * states + other];
      if (p > most) {
        most = p;
        best = other;
      }
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
      const auto otherMost = __shfl_xor_sync(0xffffffff, most, offset);
      const auto otherBest = __shfl_xor_sync(0xffffffff, best, offset);
      if (otherMost > most || (otherMost == most && otherBest < best)) {
        most = otherMost;
        best = otherBest;
      }
    }
    if (lane == 0) {
      probability[state] = most;
      from[state] = best;
    }
  }
}

__global__ void sumNeighbours(const float *forces, float *sums, int points, int neighbours) {
  const int lane = threadIdx.x % 32;
  int point = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (point >= points) return;
  float sum = 0.0f;
  int end = (point + 1) * neighbours;
  for (int j = point * neighbours + lane; j < end; j += 32)
    sum += forces[j];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[point] = sum;
}

__global__ void sumRows(const float *in, float *sums, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  int thread = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  float sum = 0.0f;
  for (int row = thread; row < rows; row += gridDim.x * (blockDim.x / 32))
    for (int c = lane; c < columns; c += 32)
      sum += in[row * columns + c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) sums[thread] = sum;
}

void run(const float *transition, const float *before, float *probability, int *from, int states, const float *forces,
         float *sums, int points, int neighbours) {
  mostProbable<<<((states + 255) / 256) * 32, 256>>>(transition, before, probability, from, states);
  sumNeighbours<<<((points + 255) / 256) * 32, 256>>>(forces, sums, points, neighbours);
  dim3 grid(128 * 32);
  sumRows<<<grid, 256>>>(forces, sums, points, neighbours);
}
