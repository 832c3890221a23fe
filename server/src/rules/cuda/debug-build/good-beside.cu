// Another command of the Makefile compiles it as it is run.
__global__ void scale(float *values, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
