// One shape of one kernel, launched at three places: told once, with all its places.
__global__ void pole(double *values, int n) {
  for (int i = 0; i < n; i++) values[blockIdx.x * n + i] += 1.0;
}
__global__ void ring(double *values, int n) {
  for (int i = 0; i < n; i++) values[blockIdx.x * n + i] -= 1.0;
}

void step(double *values, double *others, int n) {
  pole<<<2000, 1>>>(values, n);
  //           ^ one-thread warning
  ring<<<2000, 1>>>(values, n);
  //           ^ one-thread warning
  pole<<<2000, 1>>>(others, n);
  //           ^ one-thread hint
  pole<<<2000, 1>>>(values, n);
  //           ^ one-thread hint
}
