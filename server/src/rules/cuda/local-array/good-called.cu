// What this call passes lets the loop be unrolled, and the table of indices is one of the thread's own.
__device__ double sumOf(const double *of, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += of[k];
  return sum;
}
__device__ double inOrder(const double *of, const int *order) {
  double sum = 0;
  for (int k = 0; k < 4; k++) sum = 2 * sum + of[order[k]];
  return sum;
}
__global__ void known(const double *__restrict__ x, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double few[4];
  int order[4] = {3, 1, 0, 2};
  for (int k = 0; k < 4; k++) few[k] = x[k * n + i];
  out[i] = sumOf(few, 4) + inOrder(few, order);
}
__global__ void whole(const double *__restrict__ x, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sumOf(x, n);
}

// The pointers lie in registers: the index is one into what they lead to.
__global__ void rows(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, int n) {
  const float *row[2] = {x, y};
  float sum = 0;
  for (int k = 0; k < n; k++) sum += row[0][k] * row[1][k];
  out[threadIdx.x] = sum;
}

// A member of few elements, which nvcc selects.
struct Point {
  float at[3];
  int group;
};
__global__ void axis(const Point *__restrict__ points, const int *__restrict__ by, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Point point = points[i];
  out[i] = point.at[by[i]] + point.group;
}

// The index comes from an object of the thread, whose fields the compiler knows.
struct Shape {
  int first;
  int step;
};
__device__ double ofShape(const double *of, const Shape *shape) {
  return of[shape->first] + of[shape->first + shape->step];
}
__global__ void shaped(const double *__restrict__ x, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double few[8];
  for (int k = 0; k < 8; k++) few[k] = x[k * n + i];
  Shape shape = {1, 2};
  out[i] = ofShape(few, &shape);
}

// Each iteration fills the few elements again.
__global__ void refilled(const int *__restrict__ key, int *__restrict__ out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int met = 0;
  for (int r = 0; r < rounds; r++) {
    int bin[16];
    for (int b = 0; b < 16; b++) bin[b] = key[b * n + r];
    met += bin[key[r * n + i] & 15];
  }
  out[i] = met;
}

void launch(const float *x, const double *y, double *z, const Point *points, const int *by, float *out, int *rounds, int n) {
  known<<<(n + 127) / 128, 128>>>(y, z, n);
  whole<<<(n + 127) / 128, 128>>>(y, z, n);
  rows<<<1, 128>>>(x, x, out, n);
  axis<<<(n + 127) / 128, 128>>>(points, by, out, n);
  refilled<<<(n + 127) / 128, 128>>>(by, rounds, n, 9);
  shaped<<<(n + 127) / 128, 128>>>(y, z, n);
}
