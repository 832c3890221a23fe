// Four floats a thread, to memory of cudaMalloc; and pixels of four bytes, to memory that anyone may hand in.
__global__ void doubled(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 >= n) return;
  float a = in[0];
  out[4 * i] = a;
//^^^^^^^^^^ stride warning
  out[4 * i + 1] = a + a;
//^^^^^^^^^^^^^^ stride hint
  out[4 * i + 2] = a * a;
//^^^^^^^^^^^^^^ stride hint
  out[4 * i + 3] = 1 - a;
//^^^^^^^^^^^^^^ stride hint
}

__global__ void paint(unsigned char *pixels, unsigned char red, unsigned char green) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  pixels[at + 0] = red;
//^^^^^^^^^^^^^^ stride warning
  pixels[at + 1] = green;
//^^^^^^^^^^^^^^ stride hint
  pixels[at + 2] = red;
//^^^^^^^^^^^^^^ stride hint
  pixels[at + 3] = 255;
//^^^^^^^^^^^^^^ stride hint
}

void launch(const float *in, float *result, unsigned char *pixels, int n) {
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  doubled<<<n / 1024, 256>>>(in, out, n);
  cudaMemcpy(result, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(out);
  paint<<<n / 1024, 256>>>(pixels, 10, 20);
}
