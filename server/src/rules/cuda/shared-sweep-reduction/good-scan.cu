// Scans: every element is a result.
__global__ void inclusive(const int *in, int *out) {
  __shared__ int a[256];
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int before = t >= s ? a[t - s] : 0;
    __syncthreads();
    a[t] += before;
    __syncthreads();
  }
  out[t] = a[t];
}

// The sweep up of a work-efficient scan: its partial sums are needed on the way down.
__global__ void exclusive(const float *in, float *out) {
  __shared__ float temp[512];
  int t = threadIdx.x, offset = 1;
  temp[2 * t] = in[2 * t];
  temp[2 * t + 1] = in[2 * t + 1];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1;
      int bi = offset * (2 * t + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (t == 0) temp[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1;
      int bi = offset * (2 * t + 2) - 1;
      float moved = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += moved;
    }
  }
  __syncthreads();
  out[2 * t] = temp[2 * t];
  out[2 * t + 1] = temp[2 * t + 1];
}

void run(int *ints, float *floats) {
  inclusive<<<1, 256>>>(ints, ints + 256);
  exclusive<<<1, 256>>>(floats, floats + 512);
}
