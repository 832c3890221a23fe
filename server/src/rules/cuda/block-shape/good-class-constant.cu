// A class may call its constant blockDim: in host code that is no dim3 of a kernel.
template <int blockDim>
__global__ void iota(int *out, int n) {
  int i = blockIdx.x * blockDim + threadIdx.x;
  if (i < n) out[i] = i;
}

struct Sorter {
  constexpr static int blockDim = 512;
  int *out;
  void fill(int n) {
    const dim3 gridDim((n + blockDim - 1) / blockDim);
    iota<blockDim><<<gridDim, blockDim>>>(out, n);
  }
};
