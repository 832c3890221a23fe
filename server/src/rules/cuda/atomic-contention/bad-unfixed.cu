// A device function, which others may call with a place for each lane; a macro.
#define ADD(place, value) atomicAdd(place, value)

__device__ void put(float *place, float value) {
  atomicAdd(place, value);
//          ^^^^^ global
}

__global__ void sums(const float *x, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  put(total, x[i]);
  ADD(total, x[i]);
//    ^^^^^ global
}

void run(const float *x, float *total, int n) { sums<<<(n + 255) / 256, 256>>>(x, total, n); }
