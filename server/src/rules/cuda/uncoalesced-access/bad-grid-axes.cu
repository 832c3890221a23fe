// Loops that stride over the grid are the thread's place: exchanged axes are no walk along a row.
__global__ void exchanged(const float *a, float *b, int w, int h) {
  for (int x = blockIdx.y * blockDim.y + threadIdx.y; x < w; x += gridDim.y * blockDim.y)
    for (int y = blockIdx.x * blockDim.x + threadIdx.x; y < h; y += gridDim.x * blockDim.x)
      b[y * w + x] = a[y * w + x];
//    ^^^^^^^^^^^^ slow-axis
//                   ^^^^^^^^^^^^ slow-axis
}

void run(const float *a, float *b, int w, int h) {
  exchanged<<<dim3(64, 64), dim3(32, 8)>>>(a, b, w, h);
}
