// One shape of one kernel, launched at three places: told once, with all its places.
__global__ void pole(double *values, int n, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  double value = values[(blockIdx.x * blockDim.x + threadIdx.x)];
  for (int i = 0; i < n; i++) value = value * value + 0.5;
  values[(blockIdx.x * blockDim.x + threadIdx.x)] = value;
}
__global__ void ring(double *values, int n, unsigned int threads) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= threads) return;
  double value = values[(blockIdx.x * blockDim.x + threadIdx.x)];
  for (int i = 0; i < n; i++) value = value * value - 0.5;
  values[(blockIdx.x * blockDim.x + threadIdx.x)] = value;
}

void step(double *values, double *others, int n) {
  pole<<<(n * n + 255) / 256, 256>>>(values, n, n * n);
  ring<<<(n * n + 255) / 256, 256>>>(values, n, n * n);
  pole<<<(n * n + 255) / 256, 256>>>(others, n, n * n);
  pole<<<(n * n + 255) / 256, 256>>>(values, n, n * n);
}
