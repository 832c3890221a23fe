// Pointers as conditions: memory that the host allocated is set.

__global__ void guarded(float *a, const float *mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (mask) a[i * 2] = 1.0f;
//          ^^^^^^^^ store 8/4
  if (!mask || n < 0) a[i * 4] = 1.0f;
//                    ^^^^^^^^ store 16/4
  if (mask && n > 3) a[i * 8] = 1.0f;
//                   ^^^^^^^^ store 32/4
  a[i] = mask ? mask[i * 2] : 0.0f;
//^^^^ store 4/4
//              ^^^^^^^^^^^ load 8/4
  for (int k = 0; mask && k < 2; k++) a[i + k * 4096] = 0.0f;
//                                    ^^^^^^^^^^^^^^^ store 4/4
}

__global__ void shaped(float *a, int n) {
  int i = (blockIdx.y * blockDim.y + threadIdx.y) * n + blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 0.0f;
//^^^^ store 8/4
}

// A launch behind a check of its arguments is reached.
int run(float *a, int n) {
  if (!a || n == 0) return 1;
  dim3 block(4, 64);
  shaped<<<dim3(n / 4, n / 64), block>>>(a, n);
  return 0;
}

int main() {
  float *a, *mask;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc((void **)&mask, 1 << 20);
  guarded<<<64, 128>>>(a, mask, 100);
  return run(a, 1024);
}
