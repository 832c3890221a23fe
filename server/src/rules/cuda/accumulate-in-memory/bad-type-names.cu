// Sums of a type that the program names itself: in another build it is another one.
#ifdef USE_DOUBLE
#define REAL double
#else
#define REAL float
#endif
typedef REAL Real;

__global__ void columns(const REAL *a, REAL *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    y[j] = 0;
    for (int i = 0; i < n; i++) y[j] += a[i * n + j];
//                              ^^^^ sum
  }
}

__global__ void weighted(const Real *a, Real *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    y[j] = 0;
    for (int i = 0; i < n; i++) y[j] += 2 * a[i * n + j];
//                              ^^^^ sum
  }
}

void run(const REAL *a, REAL *y, int n) {
  columns<<<n / 256, 256>>>(a, y, n);
  weighted<<<n / 256, 256>>>(a, y, n);
}
