// One shape of one kernel, launched at three places: told once, with all its places.
__global__ void pole(double *values, int n) {
  double value = values[blockIdx.x];
  for (int i = 0; i < n; i++) value = value * value + 0.5;
  values[blockIdx.x] = value;
}
__global__ void ring(double *values, int n) {
  double value = values[blockIdx.x];
  for (int i = 0; i < n; i++) value = value * value - 0.5;
  values[blockIdx.x] = value;
}

void step(double *values, double *others, int n) {
  pole<<<n * n, 1>>>(values, n);
  //            ^ one-thread warning
  ring<<<n * n, 1>>>(values, n);
  //            ^ one-thread warning
  pole<<<n * n, 1>>>(others, n);
  //            ^ one-thread hint
  pole<<<n * n, 1>>>(values, n);
  //            ^ one-thread hint
}
