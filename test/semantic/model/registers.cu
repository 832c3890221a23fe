// Numbers of lanes, threads and blocks that inline assembly takes from special registers.
__device__ unsigned laneOf() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__global__ void lanes(const unsigned *key, unsigned *out) {
  unsigned t = laneOf() + blockIdx.x * 256 + (threadIdx.x >> 5) * 32;
  out[t] = key[t * 8];
//^^^^^^ store 4/4
//         ^^^^^^^^^^ load 32/4
}
__global__ void threads(const unsigned *key, unsigned *out) {
  unsigned x, b, d;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(b));
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(d));
  out[b * d + x] = key[(b * d + x) * 8];
//^^^^^^^^^^^^^^ store 4/4
//                 ^^^^^^^^^^^^^^^^^^^^ load 32/4
}
int main() {
  lanes<<<64, 256>>>(nullptr, nullptr);
  threads<<<64, 256>>>(nullptr, nullptr);
}
