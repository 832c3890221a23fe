// Blocks sixteen wide on rows of 36 words: the second half of a warp falls on banks of the first.
#define WIDTH 16
#define PITCH 36

__global__ void smooth(const float *in, float *out, int n) {
  __shared__ float rows[WIDTH + 2][PITCH];
  int x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * WIDTH + threadIdx.y;
  rows[threadIdx.y + 1][threadIdx.x + 1] = in[y * n + x];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ other hint
  __syncthreads();
  out[y * n + x] = rows[threadIdx.y + 1][threadIdx.x + 1] * 0.5f;
  //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ other hint
}

void launch(const float *in, float *out) { smooth<<<dim3(64, 64), dim3(WIDTH, WIDTH)>>>(in, out, 1024); }
