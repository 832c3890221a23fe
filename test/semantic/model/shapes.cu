// Launch shapes reach the lanes: dim3 variables, members set one by one, template arguments, loops over block sizes, functions in between.
template <int ROWS, typename T>
__global__ void tileRows(const T *__restrict__ in, T *__restrict__ out, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * ROWS + threadIdx.y;
  out[y * pitch + x] = in[x * 512 + y];
//^^^^^^^^^^^^^^^^^^ store 8/8
//                     ^^^^^^^^^^^^^^^ load 32/8
}

__global__ void narrow(const float *in, float *out) {
  out[threadIdx.y * 1024 + threadIdx.x] = in[(blockIdx.x * 16 + threadIdx.y) * 1024 + threadIdx.x];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
//                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 4/4
}

__global__ void oneThread(float *out) { out[blockIdx.x * 100] = 1.0f; }
//                                      ^^^^^^^^^^^^^^^^^^^^^ store 1/1

static void launchRows(const double *in, double *out, int threads) {
  dim3 block(threads / 8);
  block.y = 8;
  tileRows<8, double><<<dim3(64, 64), block>>>(in, out, 512);
}

int main() {
  float *f = nullptr;
  double *d = nullptr;
  const dim3 square = {16, 16, 1};
  launchRows(d, d, 256);
  narrow<<<128, square>>>(f, f);
  oneThread<<<1000, 1>>>(f);
  return 0;
}
