// The first lanes of every warp carry on alone.
__global__ void prefixWork(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  float v = in[i];
  if (lane < 5) {
//    ^^^^^^^^ lanes-differ warning
    for (int k = 0; k < 64; k++) v = v * 0.99f + in[(i + k * 1024) % n];
  }
  out[i] = v;
}

void launch(const float *in, float *out, int n) { prefixWork<<<256, 256>>>(in, out, n); }
