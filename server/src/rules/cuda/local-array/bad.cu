// Each thread counts in bins of its own, and data say in which.
__global__ void votes(const int *__restrict__ key, int *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bin[64];
  for (int b = 0; b < 64; b++) bin[b] = 0;
  for (int r = 0; r < 256; r++) bin[key[r * n + i] & 63]++;
//                              ^^^^^^^^^^^^^^^^^^^^^^^^ value warning
  for (int b = 0; b < 64; b++) out[b * n + i] = bin[b];
}

// A loop of unknown length fills the array, and others read it again and again.
__global__ void polynomials(const float *__restrict__ x, float *__restrict__ out, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float term[64];
  for (int k = 0; k < degree; k++) term[k] = x[k * n + i];
//                                 ^^^^^^^ count warning
  float sum = 0;
  for (int j = 0; j < degree; j++)
    for (int k = 0; k < degree; k++) sum += term[k] * term[j];
  out[i] = sum;
}

// The loop is too long to be unrolled.
__global__ void window(const float *__restrict__ x, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float seen[512];
  for (int k = 0; k < 512; k++) seen[k] = x[k * n + i];
//                              ^^^^^^^ count warning
  float sum = 0;
  for (int k = 0; k < 512; k++) sum += seen[k] * seen[511 - k];
  out[i] = sum;
}

// A stack that data push to and pop from.
__global__ void descend(const int *__restrict__ next, int *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int open[64];
  int top = 0;
  open[top++] = i;
  int met = 0;
  while (top > 0) {
    int node = open[--top];
//             ^^^^^^^^^^^ value warning
    met++;
    if (next[node] > 0) open[top++] = next[node];
  }
  out[i] = met;
}

void launch(const int *key, int *bins, const float *x, float *y, int n, int degree) {
  votes<<<(n + 127) / 128, 128>>>(key, bins, n);
  polynomials<<<(n + 127) / 128, 128>>>(x, y, n, degree);
  window<<<(n + 127) / 128, 128>>>(x, y, n);
  descend<<<(n + 127) / 128, 128>>>(key, bins, n);
}
