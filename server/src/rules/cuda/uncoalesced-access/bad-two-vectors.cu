// Two whole vectors a thread: each moves in one instruction, and its lanes are 32 bytes apart.
__global__ void widen(const short *in, int4 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i];
  out[2 * i] = make_int4(v, v, v, v);
//^^^^^^^^^^ stride warning
  out[2 * i + 1] = make_int4(-v, -v, -v, -v);
//^^^^^^^^^^^^^^ stride hint
}

void run(const short *in, int4 *out, int n) { widen<<<(n + 255) / 256, 256>>>(in, out, n); }
