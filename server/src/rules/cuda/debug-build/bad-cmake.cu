// Flags for every build type of CMake.
__global__ void scale(float *values, float by, int n) {
//              ^^^^^ contradiction warning
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= by;
}
