// A few blocks are a small problem, whatever their shape.
__global__ void shift(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += 1;
}

void run(float *a, int n) {
  shift<<<24, 10>>>(a, n);
//        ^^ small-grid hint
//            ^^ not-warps hint
}
