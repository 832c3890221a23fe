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
    REAL sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * n + j];
    y[j] = sum;
  }
}

__global__ void weighted(const Real *a, Real *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    Real sum = 0;
    for (int i = 0; i < n; i++) sum += 2 * a[i * n + j];
    y[j] = sum;
  }
}

void run(const REAL *a, REAL *y, int n) {
  columns<<<n / 256, 256>>>(a, y, n);
  weighted<<<n / 256, 256>>>(a, y, n);
}
