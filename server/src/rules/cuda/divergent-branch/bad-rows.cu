// A row of varying length to each thread; and work only where a flag is set.
struct Csr { const int *start; const int *column; const double *value; };

__global__ void multiply(Csr m, const double *x, double *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int k = m.start[row]; k < m.start[row + 1]; ++k) {
//                           ^^^^^^^^^^^^^^^^^^^^ trip-count-data hint
    sum += m.value[k] * x[m.column[k]];
  }
  y[row] = sum;
}

__global__ void relax(const unsigned char *active, const float *w, float *state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && active[i]) {
//    ^^^^^^^^^^^^^^^^^^ data hint
    float s = state[i];
    for (int k = 0; k < 50; k++) s = 0.5f * (s + w[k] / s);
    state[i] = s;
  }
}

void launch(Csr m, const double *x, double *y, const unsigned char *active, const float *w, float *state, int n) {
  multiply<<<(n + 127) / 128, 128>>>(m, x, y, n);
  relax<<<(n + 127) / 128, 128>>>(active, w, state, n);
}

// A nest of loops whose iterations data decide: told at the outermost.
__global__ void pairs(const int *starts, const int *columns, const int *last, int *found, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int count = 0;
  for (int i = starts[row]; i < starts[row + 1]; i++) {
//                          ^^^^^^^^^^^^^^^^^^^ trip-count-data hint
    for (int j = i; j < last[columns[i]]; j++) count += columns[j] == columns[i];
//                  ^^^^^^^^^^^^^^^^^^^^ trip-count-data hint
  }
  found[row] = count;
}
void launchPairs(const int *starts, const int *columns, const int *last, int *found, int rows) {
  pairs<<<(rows + 255) / 256, 256>>>(starts, columns, last, found, rows);
}
