// A value that a function out of sight reduces over the block: all threads have it, most often.
template <class Lib>
__global__ void solve(const float *a, float *x, float upper, int n) {
  int tid = threadIdx.x;
  float part = tid < n ? a[tid] * x[tid] : 0.0f;
  float whole = Lib::blockReduce(part);
  const bool inside = whole > upper;
  if (inside) {
    x[tid] = 0.0f;
  }
  __syncthreads();
  if (inside) {
    x[tid] += a[(tid + 1) % blockDim.x];
  }
  __syncthreads();
  x[tid] *= 2.0f;
}

template <class Lib>
void launch(const float *a, float *x, float upper, int n) { solve<Lib><<<n / 256, 256>>>(a, x, upper, n); }
