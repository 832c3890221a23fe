// Loops that go on by one element an iteration are unrolled, and four of its reads are one of 16 bytes.
#define LENGTH 128

// Two rows a warp: quarter warps share one, so that nothing meets, and a gap in the rows would part the reads.
__global__ void scores(const float *a, const float *b, float *out) {
  __shared__ float left[16 * (LENGTH + 1)];
  __shared__ float right[16 * LENGTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int d = tx; d < LENGTH; d += 16) {
    left[ty * (LENGTH + 1) + d] = a[(blockIdx.x * 16 + ty) * LENGTH + d];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ other hint
    right[ty * LENGTH + d] = b[(blockIdx.x * 16 + ty) * LENGTH + d];
//  ^^^^^^^^^^^^^^^^^^^^^^ other hint
  }
  __syncthreads();
  float sum = 0.0f;
  for (int d = 0; d < LENGTH; d++) sum += left[tx * (LENGTH + 1) + d] * right[ty * LENGTH + d];
  out[(blockIdx.x * 16 + ty) * 16 + tx] = sum;
}

// Rows of a multiple of 16 bytes leave them together.
__global__ void products(const float *a, float *out) {
  __shared__ float rows[16][LENGTH + 4];
  const int tx = threadIdx.x, ty = threadIdx.y;
  for (int d = tx; d < LENGTH; d += 16) rows[ty][d] = a[(blockIdx.x * 16 + ty) * LENGTH + d];
//                                      ^^^^^^^^^^^ other hint
  __syncthreads();
  float sum = 0.0f;
  for (int d = 0; d < LENGTH; d++) sum += rows[tx][d];
  out[(blockIdx.x * 16 + ty) * 16 + tx] = sum;
}

void run(const float *a, const float *b, float *out) {
  scores<<<1000, dim3(16, 16)>>>(a, b, out);
  products<<<1000, dim3(16, 16)>>>(a, out);
}
