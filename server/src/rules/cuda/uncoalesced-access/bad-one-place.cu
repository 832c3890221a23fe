// One place in each row is what a diagonal is: the layout is another's. Where other threads take the rest, it is not.
__global__ void invertDiagonal(const float *matrix, float *d, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = 1.0f / matrix[i * width + i];
//                         ^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}

__global__ void scaleRow(double *band, int ld, int width, int first, double by) {
  double *one = band + first;
  for (int j = threadIdx.x; j < width; j += blockDim.x) one[j * ld] = by;
//                                                      ^^^^^^^^^^^ unknown-stride warning
}

// The same by a number that may be any distance.
__global__ void scaleEach(double *parts, int apart, int n, double by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parts[i * apart] *= by;
//           ^^^^^^^^^^^^^^^^ unknown-stride warning
}

__global__ void spreadColumns(double *a, const double *v, int ld, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const double own = v[y * ld + x] * v[y * ld + x];
  a[x * ld + y] = own;
//^^^^^^^^^^^^^ slow-axis warning
}

void run(double *a, double *c, const float *b, float *d, const double *v, int ld, int n) {
  invertDiagonal<<<n / 256, 256>>>(b, d, ld, n);
  scaleRow<<<n, 256>>>(c, ld, n, 1, 2.0);
  scaleEach<<<n / 256, 256>>>(c, ld, n, 2.0);
  spreadColumns<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, v, ld, n);
}
