// The default stream cannot be captured, two streams are more than one capture, and what leaves the loop leaves it open.
__global__ void half(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 0.5f;
}

void inDefault(float *a, float *b, int rounds) {
  for (int round = 0; round < rounds; round++) {
    half<<<16, 256>>>(a, 4096);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^ graph
    half<<<16, 256>>>(b, 4096);
  }
}

void inTwo(float *a, float *b, int rounds, cudaStream_t one, cudaStream_t other) {
  for (int round = 0; round < rounds; round++) {
    half<<<16, 256, 0, one>>>(a, 4096);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ graph
    half<<<16, 256, 0, other>>>(b, 4096);
  }
}

void leaving(float *a, float *b, int rounds, cudaStream_t stream) {
  for (int round = 0; round < rounds; round++) {
    half<<<16, 256, 0, stream>>>(a, 4096);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ graph
    if (cudaGetLastError() != cudaSuccess) break;
    half<<<16, 256, 0, stream>>>(b, 4096);
  }
}
