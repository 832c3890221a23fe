// Neighbouring lanes touch neighbouring elements, and data decide which lanes come: few of each sector may be used.
__global__ void relax(unsigned *distances, const unsigned *candidates, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned candidate = candidates[i];
  if (candidate < distances[i]) distances[i] = candidate;
//                              ^^^^^^^^^^^^ masked hint
}

__global__ void refine(const float *errors, const double *values, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && errors[i] > 1e-3f) out[i] = values[i];
//                                ^^^^^^ masked hint
//                                         ^^^^^^^^^ masked hint
}

// A byte of each lane is in one sector, however many lanes there are.
__global__ void mark(const float *errors, char *marks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && errors[i] > 1e-3f) marks[i] = 1;
}

// All lanes of a warp read the same flag, and come together or not at all.
__global__ void fill(const int *flags, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flags[blockIdx.x] > 0) out[i] = 0.0f;
}

void launch(unsigned *distances, const unsigned *candidates, const float *errors, const double *values, double *wide,
            char *marks, const int *flags, float *out, int n) {
  relax<<<(n + 255) / 256, 256>>>(distances, candidates, n);
  refine<<<(n + 255) / 256, 256>>>(errors, values, wide, n);
  mark<<<(n + 255) / 256, 256>>>(errors, marks, n);
  fill<<<(n + 255) / 256, 256>>>(flags, out, n);
}
