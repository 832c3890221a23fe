// A bit of the data adds or subtracts: the compiler predicates it.
__global__ void convolve(const int *signal, const int *weights, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int total = 0;
  for (int j = 0; j < 128; j++) {
    total = (signal[i + j] & 1) ? total + weights[j] : total - weights[j];
  }
  out[i] = total;
}

void launch(const int *signal, const int *weights, int *out, int n) { convolve<<<(n + 255) / 256, 256>>>(signal, weights, out, n); }
