// Two roles of one block, each with barriers of its own.
__global__ void roles(const float *in, float *out, int n) {
  __shared__ float staged[2][128];
  const int half = threadIdx.x / 128, t = threadIdx.x % 128;
  for (int k = 0; k < n; k++) {
    if (half == 0) {
      staged[k % 2][t] = in[k * 128 + t];
      __syncthreads();
//    ^^^^^^^^^^^^^^^ in-both-arms information
      staged[k % 2][t] += 1.0f;
    } else {
      out[k * 128 + t] = staged[(k + 1) % 2][127 - t];
      __syncthreads();
    }
    __syncthreads();
  }
}

// The barriers of one role stand in functions that it calls.
__device__ void transform(float *values, int t) {
  values[t] *= 2.0f;
  __syncthreads();
//^^^^^^^^^^^^^^^ in-both-arms information
  values[t] += values[127 - t];
}
struct Transform {
  __device__ void operate(float *values, int t) const { transform(values, t); }
};
__global__ void called(float *out) {
  __shared__ float staged[128];
  const Transform with;
  if (threadIdx.x < 128) {
    staged[threadIdx.x] = out[threadIdx.x];
    with.operate(staged, threadIdx.x);
  } else {
    __syncthreads();
  }
  __syncthreads();
  out[threadIdx.x] = staged[threadIdx.x % 128];
}

// Three roles told one after another, and those of none: the barrier of the second has that of the first beside it.
__device__ void twice(float *values, int t) {
  values[t] *= 2.0f;
  __syncthreads();
//^^^^^^^^^^^^^^^ in-both-arms information
}
__global__ void inTurn(float *out, int rows) {
  __shared__ float staged[4][64];
  staged[threadIdx.y][threadIdx.x] = out[64 * threadIdx.y + threadIdx.x];
  if (threadIdx.y < rows) {
    twice(staged[threadIdx.y], threadIdx.x);
  } else if (threadIdx.y == rows) {
    __syncthreads();
//  ^^^^^^^^^^^^^^^ in-both-arms information
    staged[threadIdx.y][threadIdx.x] = 0.0f;
  }
  out[64 * threadIdx.y + threadIdx.x] = staged[threadIdx.y][threadIdx.x];
}

// One role alone waits.
__global__ void one(const float *in, float *out) {
  __shared__ float staged[128];
  const int half = threadIdx.x / 128, t = threadIdx.x % 128;
  if (half == 0) {
    staged[t] = in[t];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ block-barrier error
    out[t] = staged[127 - t];
  } else {
    out[128 + t] = 0.0f;
  }
}

void run(const float *in, float *out, int n) {
  roles<<<100, 256>>>(in, out, n);
  one<<<100, 256>>>(in, out);
  called<<<1, 256>>>(out);
  inTurn<<<1, dim3(64, 4)>>>(out, n);
}
