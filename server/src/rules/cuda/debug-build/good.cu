// The same flag under a condition, for a target that is named for it, in a variable that nothing uses, and for the host.
__global__ void scale(float *values, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
