// Powers of two that become integers, as trees of steps have them.
__global__ void steps(float *v, int *widths, int count) {
  for (int i = 1; i <= count; i++) {
    int width = __powf(2, i);
//              ^^^^^^^^^^^^ shift
    unsigned next = pow(2, i + 1);
//                  ^^^^^^^^^^^^^ shift
    if (threadIdx.x % width == 0) v[threadIdx.x] += v[threadIdx.x + next / 4];
    __syncthreads();
  }
  widths[threadIdx.x] = 3 + (int)powf(2, count);
//                               ^^^^^^^^^^^^^^ shift
}

void run(float *v, int *widths, int count) { steps<<<1, 256>>>(v, widths, count); }
