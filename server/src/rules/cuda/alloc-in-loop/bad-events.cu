// Events of a loop that measures are made beside what they measure.
__global__ void work(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

float repeats(float *x, int n) {
  float total = 0.0f;
  for (int repeat = 0; repeat < 20; repeat++) {
    cudaEvent_t start;
    cudaEventCreate(&start);
//  ^^^^^^^^^^^^^^^^^^^^^^^ creation warning
    cudaEventRecord(start);
    work<<<n / 256, 256>>>(x);
    cudaEventSynchronize(start);
    cudaEventDestroy(start);
  }
  return total;
}
