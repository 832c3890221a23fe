// A float compared with a sum that a constant makes double, on each iteration of a loop.
__global__ void integrate(float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= n) return;
  const float step = out[x];
  const float end = step * 100.0f;
  float sum = 0.0f;
  for (float at = step; at < end + step * 0.25f; at += step) sum += at * at;
  if (step * 0.3f > end) sum = 0.0f;
  if (step > 0.5f) sum += 1.0f;
  out[x] = sum;
}

void launch(float *out, int n) { integrate<<<(n + 255) / 256, 256>>>(out, n); }
