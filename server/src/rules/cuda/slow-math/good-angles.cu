// An element that memory takes longer to bring than its sine and cosine; angles that differ, or of which data ask for the sine or the cosine; integers whose quotient is 0; other powers.
__global__ void angles(const float *x, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float angle = x[i];
  float sum = sinf(angle);
  angle += 0.5f;
  sum += cosf(angle) + (angle > 1.0f ? sinf(angle) : 0.0f) + powf(angle, 5.0f / 3.0f) + powf(angle, (float)(1 / 3));
  if (sum > 2.0f)
    sum += sinf(2.0f * angle);
  else
    sum += cosf(2.0f * angle);
  float s, c;
  sincosf(sum, &s, &c);
  out[i] = sum + s * c;
}

__global__ void streamed(const float *x, float *s, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[i] = sinf(x[i]);
  c[i] = cosf(x[i]);
}

void run(const float *x, float *out, float *s, int n) {
  angles<<<(n + 255) / 256, 256>>>(x, out, n);
  streamed<<<(n + 255) / 256, 256>>>(x, out, s, n);
}
