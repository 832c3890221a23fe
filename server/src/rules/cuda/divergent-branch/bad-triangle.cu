// A triangle, whose lanes have half of the work of the longest one at least; a few lanes that have nearly all of it; and
// one pixel of two, which is subsampled by straight code.
__global__ void triangle(const float *in, float *out) {
  float sum = 0;
  for (int j = 0; j < threadIdx.x; j++) sum += in[blockIdx.x * 64 + j] * sinf(sum);
//                ^^^^^^^^^^^^^^^ trip-count information
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void heads(const float *in, float *out) {
  float sum = 0;
  for (int j = 0; j < (threadIdx.x % 32 < 2 ? 64 : 2); j++) sum += in[blockIdx.x * 64 + j] * sinf(sum);
//                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ trip-count warning
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void chroma(const float *red, const float *green, const float *blue, float *out) {
  const int at = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x % 2 == 0) {
//    ^^^^^^^^^^^^^^^^^^^^ lane-pattern hint
    const float r = red[at], g = green[at], b = blue[at];
    out[at] = 0.1f * r + 0.2f * g + 0.3f * b + 0.4f * r * g + 0.5f * g * b + 0.6f * b * r;
    out[at + 1] = 0.6f * r + 0.5f * g + 0.4f * b + 0.3f * r * g + 0.2f * g * b + 0.1f * b * r;
  }
}

void run(const float *in, const float *red, const float *green, float *out) {
  triangle<<<640, 64>>>(in, out);
  heads<<<640, 64>>>(in, out);
  chroma<<<640, 64>>>(in, red, green, out);
}
