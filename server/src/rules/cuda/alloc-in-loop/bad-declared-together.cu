// Two events of one declaration move with it, at once.
__global__ void work(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

float repeats(float *x, int n) {
  float total = 0.0f;
  for (int repeat = 0; repeat < 20; repeat++) {
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
//  ^^^^^^^^^^^^^^^^^^^^^^^ creation warning
    cudaEventCreate(&stop);
//  ^^^^^^^^^^^^^^^^^^^^^^ creation warning
    cudaEventRecord(start);
    work<<<n / 256, 256>>>(x);
    cudaEventRecord(stop);

    cudaEventSynchronize(stop);
    float elapsed;
    cudaEventElapsedTime(&elapsed, start, stop);
    total += elapsed;

    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  return total;
}
