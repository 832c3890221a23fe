// A block four threads wide: a warp takes four elements from each of eight rows.
__global__ void halve(float *picture, int pitch) {
  int x = blockIdx.x * 4 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  picture[y * pitch + x] *= 0.5f;
//^^^^^^^^^^^^^^^^^^^^^^ narrow-block
}

void halveAll(float *picture) {
  dim3 threads;
  threads.x = 4;
  threads.y = 32;
  const int width = 4096, height = 2048;
  halve<<<dim3(width / 4, height / 32), threads>>>(picture, width);
}
