// The most probable state before each state, and the sums of rows whose bounds are written as elements; a stride over
// the grid in which a thread keeps a sum of all its rows.
__global__ void mostProbable(const float *transition, const float *before, float *probability, int *from, int states) {
  int state = blockIdx.x * blockDim.x + threadIdx.x;
  if (state < states) {
    float most = 0.0f;
    int best = -1;
    for (int other = 0; other < states; other++) {
      float p = before[other] + transition[state * states + other];
//                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
      if (p > most) {
        most = p;
        best = other;
      }
    }
    probability[state] = most;
    from[state] = best;
  }
}

__global__ void sumNeighbours(const float *forces, float *sums, int points, int neighbours) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  float sum = 0.0f;
  int end = (point + 1) * neighbours;
  for (int j = point * neighbours; j < end; j++)
    sum += forces[j];
//         ^^^^^^^^^ row-per-thread warning
  sums[point] = sum;
}

__global__ void sumRows(const float *in, float *sums, int rows, int columns) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int row = thread; row < rows; row += gridDim.x * blockDim.x)
    for (int c = 0; c < columns; c++)
      sum += in[row * columns + c];
//           ^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
  sums[thread] = sum;
}

void run(const float *transition, const float *before, float *probability, int *from, int states, const float *forces,
         float *sums, int points, int neighbours) {
  mostProbable<<<(states + 255) / 256, 256>>>(transition, before, probability, from, states);
  sumNeighbours<<<(points + 255) / 256, 256>>>(forces, sums, points, neighbours);
  dim3 grid(128);
  sumRows<<<grid, 256>>>(forces, sums, points, neighbours);
}
