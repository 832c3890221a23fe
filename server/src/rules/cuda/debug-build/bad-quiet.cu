// Built by a command that is not echoed, and linked by one without flags.
__global__ void scale(float *values, float by, int n) {
//              ^^^^^ contradiction warning
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
