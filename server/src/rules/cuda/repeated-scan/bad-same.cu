// The threads along x all go over the same data, compute the same value and store it to the same place.
__global__ void product(const float *a, const float *v, float *y, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && r < rows) {
    float s = 0;
    for (int k = 0; k < cols; k++) s += a[r * cols + k] * v[k];
    y[r] = s;
//  ^^^^ same warning
  }
}

__global__ void perBlock(const float *in, float *out, int n) {
  const float *row = in + blockIdx.x * n;
  float most = row[0];
  int k = 1;
  while (k < n) {
    if (row[k] > most) most = row[k];
    k++;
  }
  *(out + blockIdx.x) = most * 2.0f;
//^^^^^^^^^^^^^^^^^^^ same warning
}

void launch(const float *a, const float *v, float *y, int rows, int cols) {
  product<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 32)>>>(a, v, y, rows, cols);
  perBlock<<<rows, 256>>>(a, y, cols);
}
