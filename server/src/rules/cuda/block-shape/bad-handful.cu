// One thread a block: a few statements beside the work, pointers of a batch, and the work itself.
__global__ void close(int *state) { state[blockIdx.x] = 0; }
__global__ void addEach(const float *a, float *b) { b[blockIdx.x] += a[blockIdx.x]; }

__global__ void set_pointers(float **rows, float *matrix, int width) { rows[blockIdx.x] = matrix + blockIdx.x * width; }

void run(int *state, const float *a, float *b, float **rows, int n) {
  close<<<32, 1>>>(state);
//        ^^ small-grid
//            ^ one-thread hint
  set_pointers<<<n, 1>>>(rows, b, n);
//                  ^ one-thread warning
  addEach<<<n, 1>>>(a, b);
//             ^ one-thread warning
}
