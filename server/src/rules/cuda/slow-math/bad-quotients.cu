// A quotient and a remainder for each element: they hide in part behind what the kernel moves.
__global__ void quantize(const float *in, signed char *out, const float *scale, int n, int plane, int channels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int channel = (i / plane) % channels;
//              ^^^^^^^^^^^^^^^^^^^^^^ divisor information
  out[i] = (signed char)(in[i] * scale[channel]);
}

void run(const float *in, signed char *out, const float *scale, int n, int plane, int channels) {
  quantize<<<(n + 255) / 256, 256>>>(in, out, scale, n, plane, channels);
}
