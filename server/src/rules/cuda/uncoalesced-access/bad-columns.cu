// A thread a row, for the column at the edge of a field: the lanes' distance is what the field has, and no row is
// walked. Beside it the same with a walk along the row.
__global__ void leftEdge(const double *flux, double *change, int nx, int ny) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= ny) return;
  const int u = row * (nx - 1);
  change[row] = 0.5 * (flux[u] + flux[u + 1]);
//                     ^^^^^^^ unknown-stride warning
}

__global__ void rows(const double *flux, double *change, int nx, int ny) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= ny) return;
  double sum = 0;
  for (int i = 0; i < nx - 1; i++) sum += flux[row * (nx - 1) + i];
//                                        ^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
  change[row] = sum;
}

void run(const double *flux, double *change, int nx, int ny) {
  leftEdge<<<(ny + 255) / 256, 256>>>(flux, change, nx, ny);
  rows<<<(ny + 255) / 256, 256>>>(flux, change, nx, ny);
}
