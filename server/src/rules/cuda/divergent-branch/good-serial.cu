// Loops of one thread that no others could share, or that are no longer than a warp's lanes, or beside other work.
__global__ void recurrence(const float *in, float *out, int n) {
  if (threadIdx.x == 0)
    for (int k = 1; k < n; k++) out[blockIdx.x * n + k] = out[blockIdx.x * n + k - 1] * in[k];
}

__global__ void carriedValue(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float state = 0.0f;
    for (int k = 0; k < n; k++) state = state * in[k] + 1.0f;
    out[blockIdx.x] = state;
  }
}

__global__ void prefix(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
      sum += in[k];
      out[blockIdx.x * n + k] = sum;
    }
  }
}

__global__ void shortLoop(const float *in, float *out) {
  __shared__ float part[8];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = in[blockIdx.x * 8 + threadIdx.x / 32];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 8; k++) sum += part[k];
    out[blockIdx.x] = sum;
  }
}

__global__ void beside(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += in[k];
    out[blockIdx.x] = sum;
  }
  for (int k = threadIdx.x; k < n; k += blockDim.x) out[n + k] = in[k] * in[n + k];
}

__global__ void roles(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += in[k];
    out[blockIdx.x] = sum;
  } else
    out[1024 + threadIdx.x] = in[threadIdx.x];
}

__global__ void counted(const int *keys, int *bins, int n) {
  if (threadIdx.x == 0)
    for (int k = 0; k < n; k++) bins[keys[blockIdx.x * n + k]] = k;
}

__global__ void search(const int *keys, int *at, int n) {
  if (threadIdx.x == 0)
    for (int k = 0; k < n; k++)
      if (keys[blockIdx.x * n + k] == 7) {
        at[blockIdx.x] = k;
        break;
      }
}

// Each sum is of those before it, or the place moves along.
__global__ void scan(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    int k = 1;
    while (k < n) {
      out[k] += out[k - 1] * in[k];
      k++;
    }
  }
}

__global__ void ownSum(const float *in, float *out, int n) {
  if (threadIdx.x == 0)
    for (int k = 1; k < n; k++) out[0] += out[0] * in[k];
}

// The end moves with each iteration.
__global__ void narrowing(const float *in, float *out, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    int k = 0;
    while (k < n) {
      if (in[k] > sum) n--;
      sum += in[k];
      k++;
    }
    out[blockIdx.x] = sum;
  }
}

__device__ float sumOf(const float *row, int n) {
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += row[k];
  return sum;
}
__global__ void calledByAll(const float *in, float *out, int n) {
  if (threadIdx.x == 0) out[blockIdx.x] = sumOf(in + blockIdx.x * n, n);
  out[threadIdx.x] = sumOf(in + threadIdx.x * n, n);
}

void launch(const float *in, float *out, const int *keys, int *bins, int n) {
  recurrence<<<1024, 256>>>(in, out, n);
  carriedValue<<<1024, 256>>>(in, out, n);
  prefix<<<1024, 256>>>(in, out, n);
  shortLoop<<<1024, 256>>>(in, out);
  beside<<<1024, 256>>>(in, out, n);
  roles<<<1024, 256>>>(in, out, n);
  counted<<<1024, 256>>>(keys, bins, n);
  search<<<1024, 256>>>(keys, bins, n);
  scan<<<1024, 256>>>(in, out, n);
  ownSum<<<1024, 256>>>(in, out, n);
  narrowing<<<1024, 256>>>(in, out, n);
  calledByAll<<<1024, 256>>>(in, out, n);
}
