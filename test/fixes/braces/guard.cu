// fix: Split the guard
// A guard behind which threads that do not enter go on.
__global__ void reverseAndCount(const int *in, int *out, int *blocks, int n)
{
  __shared__ int staged[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
  {
    staged[threadIdx.x] = in[i];
    __syncthreads();  // The other half of the block
                      // has staged its elements.
    // Read from the end.
    out[i] = staged[127 - threadIdx.x];
  }
  if (threadIdx.x == 0) atomicAdd(blocks, 1);
}

// The last guard of all, and one in it.
template <typename T>
__global__ void columns(const float *in, float *sums, int rows, int width)
{
  __shared__ float staged[256];
  const int x = blockIdx.x * 32 + threadIdx.x;
  if (x < width)
  {
    T sum = T(0);

    for (int y = threadIdx.y; y < rows; y += 8) sum += in[y * width + x];
    staged[threadIdx.y * 32 + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0)
    {
      for (int y = 1; y < 8; y++) sum += staged[y * 32 + threadIdx.x];
      sums[x] = sum;
    }
  }
}

void run(const int *in, int *out, const float *values, float *sums, int n)
{
  reverseAndCount<<<(n + 127) / 128, 128>>>(in, out, out + n, n);
  columns<<<(n + 31) / 32, dim3(32, 8)>>>(values, sums, n, n);
}
