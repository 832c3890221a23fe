// Options of the only target.
__global__ void scale(float *values, float by, int n) {
//              ^^^^^ debug information
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
