// A count that a condition on data skips: the run cannot say which threads add.
__global__ void count(int *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0;
  for (int k = 0; k < 1000; k++)
    if (in[k * 65536 + i] > 0) out[i]++;
//                             ^^^^^^ conditional hint
}

void launch(int *counts, const float *in) {
  count<<<256, 256>>>(counts, in);
}
