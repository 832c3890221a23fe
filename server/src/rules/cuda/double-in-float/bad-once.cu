// The boundary is filled before the work, once; the steps run as often as it takes.
__global__ void initialize_boundaries(float *a, float pi, int nx, int ny) {
  int iy = blockIdx.x * blockDim.x + threadIdx.x;
  if (iy < ny) a[iy * nx] = sinf(2.0 * pi * iy / (ny - 1));
//                               ^^^ literal information
}

__global__ void step(const float *a, float *next, int nx, int ny) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int at = (blockIdx.y + 1) * nx + ix;
  if (ix < nx - 1) next[at] = 0.3 * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx]);
//                            ^^^ literal hint
}

void run(float *a, float *next, float pi, int nx, int ny) {
  initialize_boundaries<<<(ny + 255) / 256, 256>>>(a, pi, nx, ny);
  step<<<dim3((nx + 255) / 256, ny - 2), 256>>>(a, next, nx, ny);
}
