// One fix for equal calls; parentheses that are there are enough; a type that may be double keeps its root.
using Real = float;

__global__ void gradients(float3 *__restrict__ out, const float *__restrict__ in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = in[i];
  float x = -sum / (sum * sum) * 0.5f;
  float y = -sum / (sum * sum) * 0.25f;
  out[i] = make_float3(x, y, sum);
}

__device__ Real inverse(Real x) {
  return 1.0f / sqrtf(x);
//       ^^^^^^^^^^^^^^^ root
}

__global__ void inverses(Real *__restrict__ out, const Real *__restrict__ in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = inverse(in[i]);
}

void run(float3 *out, float *roots, const float *in, int n) {
  gradients<<<(n + 255) / 256, 256>>>(out, in, n);
  inverses<<<(n + 255) / 256, 256>>>(roots, in, n);
}
