// A bit of the lane number chooses between two loops over memory; and a triangle of trips.
__global__ void choose(const float *a, const float *b, float *out, int terms) {
  const int tid = threadIdx.x + blockIdx.x * blockDim.x;
  float sum = 0.0f;
  if ((tid & 3) != 0) {
//    ^^^^^^^^^^^^^^ lane-pattern
    for (int k = 0; k < 32; k++) sum += a[k * 4096 + tid];
  } else {
    for (int k = 0; k < 32; k++) sum -= b[k * 4096 + tid] * b[k * 4096 + tid];
  }
  out[tid] = sum;
}

__global__ void triangle(const float *in, float *out) {
  __shared__ float row[128];
  row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k <= threadIdx.x; k++)
//                ^^^^^^^^^^^^^^^^ trip-count
    sum += row[k] * row[threadIdx.x - k];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void launch(const float *a, const float *b, float *out) {
  choose<<<16, 256>>>(a, b, out, 32);
  triangle<<<100, 128>>>(a, out);
}
