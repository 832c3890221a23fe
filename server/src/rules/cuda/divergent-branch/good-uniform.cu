// Conditions that all threads of a block share: arguments, block numbers, loads at one address.
enum Mode { LINEAR, SQUARE };

__global__ void apply(const float *in, float *out, Mode mode, const int *enabled) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!enabled[blockIdx.x]) return;
  float v = in[i];
  if (mode == SQUARE) {
    for (int k = 0; k < 40; k++) v = v * v * 0.5f;
  } else if (blockIdx.x % 2 == 0) {
    for (int k = 0; k < 40; k++) v = v * 0.5f + 1.0f;
  }
  switch (mode) {
    case LINEAR: v += 1.0f; break;
    case SQUARE: v -= 1.0f; break;
  }
  out[i] = v;
}

void launch(const float *in, float *out, const int *enabled) { apply<<<128, 256>>>(in, out, SQUARE, enabled); }
