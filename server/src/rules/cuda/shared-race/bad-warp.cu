__global__ void swap_pairs(float *d) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  d[t] = s[t ^ 1];
  //     ^^^^^^^^ unseen-write-in-warp warning
}

__global__ void four_to_two(const float *in, float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    if (t < 16) out[t] = s[t] + s[t + 16];
    //                          ^^^^^^^^^ unseen-write-in-warp warning
  }
}

__global__ void next_in_warp(float *d) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  float next = s[(t & 32) + ((t + 1) & 31)];
  s[t] = 2.0f * next;
//^^^^ overwritten-in-warp warning
  d[t] = s[t];
}

__global__ void one_of_two(const float *in, float *out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  s[t ^ 1] = in[t] + 1.0f;
//^^^^^^^^ two-writes-in-warp warning
  __syncthreads();
  out[t] = s[t];
}

void launch(float *a, float *b) {
  swap_pairs<<<1, 64>>>(a);
  next_in_warp<<<1, 64>>>(a);
  one_of_two<<<1, 64>>>(a, b);
  four_to_two<<<1, 64>>>(a, b);
}
