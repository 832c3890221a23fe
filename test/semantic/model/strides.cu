// Strides of one dimension: constants, macros, typedefs, unknown factors, broadcasts, misalignment.
#define PITCH(n) ((n) * 2)
typedef unsigned short half_word;
constexpr int kWide = 1 << 3;

__global__ void strides(const float *a, const double *b, const half_word *c, float *out, int n, int stride) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float sum = a[t];
//            ^^^^ load 4/4
  sum += a[t * 2];
//       ^^^^^^^^ load 8/4
  sum += a[PITCH(t) * kWide];
//       ^^^^^^^^^^^^^^^^^^^ load 32/4
  sum += b[t];
//       ^^^^ load 8/8
  sum += c[t];
//       ^^^^ load 2/2
  sum += a[t * stride];
//       ^^^^^^^^^^^^^ load 32/4 assumed
  sum += a[n];
//       ^^^^ load 1/1
  sum += a[t + 1];
//       ^^^^^^^^ load 5/4
  sum += *(a + (t ^ 1));
//       ^^^^^^^^^^^^^^ load 4/4
  sum += a[t / 16];
//       ^^^^^^^^^ load 1/1
  out[t] = sum;
//^^^^^^ store 4/4
}

void run(const float *a, const double *b, const half_word *c, float *out, int n) {
  strides<<<(n + 255) / 256, 256>>>(a, b, c, out, n, n / 3);
}
