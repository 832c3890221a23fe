// The program's own reciprocal root: a call of the library's name in it would be a call of itself.
namespace math {
__device__ inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
}  // namespace math

__global__ void roots(float *__restrict__ out, const float *__restrict__ in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = math::rsqrtf(in[i]);
}

void run(float *out, const float *in, int n) {
  roots<<<(n + 255) / 256, 256>>>(out, in, n);
}
