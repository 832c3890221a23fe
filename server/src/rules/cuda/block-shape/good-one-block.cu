// One block because its iterations need one another, and the last stage of a sum.
__global__ void prefix(const float *in, float *out, int n) {
  __shared__ float carry;
  if (threadIdx.x == 0) carry = 0;
  for (int begin = 0; begin < n; begin += 256) {
    __syncthreads();
    float before = carry;
    out[begin + threadIdx.x] = before + in[begin + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) carry = before + in[begin + 255];
  }
}

__global__ void eliminate(float *a, int n) {
  for (int pivot = 0; pivot < n; pivot++) {
    float factor = a[(pivot + 1) * n + pivot] / a[pivot * n + pivot];
    a[(pivot + 1) * n + threadIdx.x] -= factor * a[pivot * n + threadIdx.x];
  }
}

__global__ void steps(float *states, int width, int n) {
  for (int step = 1; step < n; step++)
    states[step * width + threadIdx.x] = 0.9f * states[(step - 1) * width + threadIdx.x];
}

__global__ void lastSum(const float *partial, float *total, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += partial[i];
  atomicAdd(total, sum);
}

__global__ void running(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) out[i * blockDim.x + threadIdx.x] = sum += in[i * blockDim.x + threadIdx.x];
}

__global__ void copyInto(const float *from, float *to, int n) {
  for (int i = 0; i < n; i++) to[(i + 1) * 64 + threadIdx.x] = from[i * 64 + threadIdx.x];
}

void run(const float *in, float *out, int n) {
  prefix<<<1, 256>>>(in, out, n);
  eliminate<<<1, 256>>>(out, n);
  steps<<<1, 256>>>(out, 256, n);
  lastSum<<<1, 256>>>(in, out, n);
  running<<<1, 256>>>(in, out, n);
  copyInto<<<1, 64>>>(out, out, n);
}
