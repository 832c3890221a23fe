// What a function in sight computes of each thread parts the threads; what one out of sight hands out may be the same.
__device__ bool comes(int i, int n) { return i < n; }

template <class Lib>
__global__ void drain(float *out, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float left = Lib::advance(out[i]);
  bool more = left > limit;
  const bool inside = more;
  if (inside) {
    out[i] = 1.0f;
  }
  __syncthreads();
  if (inside) {
    out[i] += out[(i + 1) % n];
  }
  __syncthreads();
  const bool inside2 = comes(i, n);
  if (inside2) {
    out[i] *= 2.0f;
  }
  __syncthreads();
  if (inside2) {
    out[i] += out[(i + 3) % n];
  }
  __syncthreads();
  out[i] *= 3.0f;
}

template <class Lib>
void launch(float *out, float limit, int n) { drain<Lib><<<n / 256 + 1, 256>>>(out, limit, n); }
