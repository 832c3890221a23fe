// Built for the debugger beside -O3: said once for the file.
__global__ void scale(float *values, float by, int n) {
//              ^^^^^ contradiction warning
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}

__global__ void shift(float *values, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += by;
}
