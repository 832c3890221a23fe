// A minimum and bits of integers: a variable of the loop, and a swap in the condition.
// trades for: cuda/atomic-contention counter
__device__ void least(int *place, int value) {
  int now = *place;
  int seen;
  do {
    seen = now;
    const int next = value < seen ? value : seen;
    now = atomicCAS(place, seen, next);
//                  ^^^^^ loop warning
  } while (now != seen);
}

__global__ void collect(const int *z, int *minimum, unsigned *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  least(minimum, z[i]);
  unsigned was = *flags, before;
  do {
    before = was;
  } while ((was = atomicCAS(flags, before, before | 1u << z[i] % 32)) != before);
//                          ^^^^^ loop warning
}

void run(const int *z, int *minimum, unsigned *flags, int n) {
  collect<<<(n + 255) / 256, 256>>>(z, minimum, flags, n);
}
