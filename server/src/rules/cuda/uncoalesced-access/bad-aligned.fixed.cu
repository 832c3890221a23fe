// A structure of 16 bytes that moves in two instructions of 8.
typedef struct alignas(16) {
  double re;
  double im;
} Complex;

__global__ void reset(Complex *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = {0.0, 0.0};
}

void run(Complex *values, int n) { reset<<<(n + 255) / 256, 256>>>(values, n); }
