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
}
