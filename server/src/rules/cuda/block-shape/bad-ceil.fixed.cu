// Other ways to round a number of blocks up.
__global__ void square(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= a[i];
}

void byRemainder(float *a, int n) {
  const int block = 64;
  int blocks = n / block + (n % block == 0 ? 0 : 1);
  square<<<blocks, block>>>(a, n);
}

void byFloor(float *a, int n) {
  const int block = 64;
  square<<<(n - 1) / block + 1, block>>>(a, n);
}

void byTruth(float *a, int n) {
  const int block = 64;
  square<<<n / block + (n % block ? 1 : 0), block>>>(a, n);
}
