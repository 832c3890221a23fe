// Given back at the start of the next iteration, made in an arm that always runs, and kept in an object.
#include <cstdio>
#include <cstdlib>

__global__ void smooth(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 0.5f;
}

void levels(int depth, const int *sizes) {
  float *level = nullptr;
  for (int l = 0; l < depth; l++) {
    if (level) cudaFreeAsync(level, 0);
    cudaMallocAsync(&level, sizes[l] * sizeof(float), 0);
    smooth<<<(sizes[l] + 255) / 256, 256>>>(level, sizes[l]);
  }
  cudaFreeAsync(level, 0);
}

struct Solver { float *scratch; };
void steps(Solver &solver, int n, int count) {
  for (int s = 0; s < count; s++) {
    cudaMalloc(&solver.scratch, n * sizeof(float));
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
    smooth<<<(n + 255) / 256, 256>>>(solver.scratch, n);
    cudaFree(solver.scratch);
  }
}

void guarded(int n, int count) {
  for (int s = 0; s < count; s++) {
    float *part;
    if (n <= 0) {
      fprintf(stderr, "nothing to do\n");
      exit(1);
    } else {
      cudaMalloc(&part, n * sizeof(float));
//    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ allocation
      smooth<<<(n + 255) / 256, 256>>>(part, n);
      cudaFree(part);
    }
  }
}
