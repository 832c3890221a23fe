// Even threads iterate one map, odd threads another.
// trades for: cuda/uncoalesced-access stride
#define TURNS 200

__global__ void iterate(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = values[i];
  if (threadIdx.x % 2 == 0) {
//    ^^^^^^^^^^^^^^^^^^^^ lane-pattern warning
    for (int k = 0; k < TURNS; k++) v = sinf(v) + 1.0f;
  } else {
    for (int k = 0; k < TURNS; k++) v = cosf(v) * 0.5f;
  }
  values[i] = v;
}

void launch(float *values, int n) { iterate<<<(n + 255) / 256, 256>>>(values, n); }
