// One block for all: a table whose rows know nothing of one another, and elements that a block strides over. Of a thousand there is nothing to share.
__global__ void table(float *sines, float *cosines, int width, int n) {
  int column = threadIdx.x;
  for (int row = 0; row < n; row++) {
    float angle = row / powf(10000.0f, (float)column / width);
    sines[row * width + column] = sinf(angle);
    cosines[row * width + column] = cosf(angle);
  }
}

__global__ void blend(const float *a, const float *b, float *out) {
  for (int i = threadIdx.x; i < 1 << 22; i += blockDim.x) out[i] = 0.5f * (a[i] + b[i]);
}

__global__ void few(float *a) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) a[i] = 0;
}

void run(float *sines, float *cosines, const float *a, const float *b, float *out, int n) {
  table<<<1, 128>>>(sines, cosines, 128, n);
//        ^ one-block warning
  blend<<<1, 256>>>(a, b, out);
//        ^ one-block warning
  few<<<1, 256>>>(out);
//      ^ one-block hint
}
