// A device function, which others may call with a place for each lane; a macro; what another build replaces.
#define SYSTEM 1
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

__global__ void latest(const float *x, unsigned int *newest, unsigned int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 1.0f) {
#if SYSTEM
    atomicMax_system(newest, step);
//                   ^^^^^^ counter
#else
    newest[0] = step;
#endif
  }
}

void run(const float *x, float *total, unsigned int *newest, int n) {
  sums<<<(n + 255) / 256, 256>>>(x, total, n);
  latest<<<(n + 255) / 256, 256>>>(x, newest, 7, n);
}
