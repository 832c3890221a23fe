// Shapes that leave lanes idle where nothing shows what that costs: sizes that are tried, and as many blocks as a
// constant out of sight says.
template <class Key>
struct MostLevels;

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
template <class Key>
__global__ void begins(const Key *keys, int n, int *starts) {
  int at = 0;
  while (at < n && keys[at] < blockIdx.x) at++;
  starts[blockIdx.x] = at;
}

void timed(float *a, int n, int threads) {
  fill<<<(n + threads - 1) / threads, threads>>>(a, n);
}

int main(int argc, char **argv) {
  float *a = nullptr;
  const int n = argc * 1000000;
  cudaMalloc(&a, n * sizeof(float));
  for (int threads = 4; threads <= 64; threads += 4) timed(a, n, threads);
  return cudaFree(a);
}

template <class Key>
void build(const Key *keys, int n, int *starts) {
  begins<<<MostLevels<Key>{} + 2, 1>>>(keys, n, starts);
//                                ^ one-thread warning
}
