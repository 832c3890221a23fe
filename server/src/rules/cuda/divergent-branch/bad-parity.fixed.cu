// Even threads iterate one map, odd threads another.
#define TURNS 200

__global__ void iterate(float *values, int n) {
  const unsigned int splitThread = (threadIdx.x & ~63u) | ((threadIdx.x & 31u) << 1) | ((threadIdx.x >> 5) & 1u);
  int i = blockIdx.x * blockDim.x + splitThread;
  if (i >= n) return;
  float v = values[i];
  if (splitThread % 2 == 0) {
    for (int k = 0; k < TURNS; k++) v = sinf(v) + 1.0f;
  } else {
    for (int k = 0; k < TURNS; k++) v = cosf(v) * 0.5f;
  }
  values[i] = v;
}

void launch(float *values, int n) { iterate<<<(n + 255) / 256, 256>>>(values, n); }
