// One thread a block: a few statements beside the work, and the work itself.
__global__ void close(int *state) { state[blockIdx.x] = 0; }
__global__ void addEach(const float *a, float *b) { b[blockIdx.x] += a[blockIdx.x]; }

void run(int *state, const float *a, float *b, int n) {
  close<<<32, 1>>>(state);
//        ^^ small-grid
//            ^ one-thread hint
  addEach<<<n, 1>>>(a, b);
//             ^ one-thread warning
}
