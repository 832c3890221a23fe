// Launches of one kernel with one block, in branches and in another function: they change together.
template <typename T>
__global__ void scale(T *values, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

void scaleAll(float *values, double *others, int n, int kind) {
  switch (kind) {
    case 0:
      scale<float><<<(n + 47) / 48, 48>>>(values, 2.0f, n);
      //                            ^^ not-warps
      break;
    default:
      scale<double><<<(n + 47) / 48, 48>>>(others, 2.0, n);
      //                             ^^ not-warps
  }
}

void halve(float *values, int count) {
  scale<<<(count - 1) / 48 + 1, 48>>>(values, 0.5f, count);
  //                            ^^ not-warps
}
