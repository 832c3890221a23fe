// A recurrence of 16,384 elements, each by one thread, in blocks of 512 threads: 32 blocks.
#include "../../../lab/gpu/fixes/timing.cuh"

__global__ void recur(const float *start, float *end, int turns, int count) {
  int element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= count) return;
  float value = start[element];
  float other = start[(element + 1) % count];
  for (int turn = 0; turn < turns; turn++) {
    float added = start[turn];
    value = __fmaf_rn(value, 0.999f, added);
    other = __fmaf_rn(other, 0.998f, added);
    value = __fmaf_rn(other, 0.5f, value * 0.5f);
    other = __fmaf_rn(value, 0.25f, other * 0.75f);
  }
  end[element] = value + other;
}

int main(int argc, char **) {
  const int turns = 1000, count = 16383 + argc;
  const int threads = THREADS;
  const float *start = numbers(count);
  float *end = numbers(count);
  return timed([&] { recur<<<(count + threads - 1) / threads, threads>>>(start, end, turns, count); }, end, count);
}
