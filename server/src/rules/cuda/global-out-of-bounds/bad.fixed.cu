// Memory whose size the host shows, and threads beyond it.
#include <cuda_runtime.h>

const int N = 1000;

// One thread too many.
__global__ void tail(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = 2.0f;
}

// No guard, and a neighbour of the first element.
__global__ void difference(const float *v, float *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    d[i] = v[i] - v[i - 1];
//                ^^^^^^^^ before
}

// Elements where bytes are asked for.
__global__ void fill(int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        counts[i] = i;
//      ^^^^^^^^^ beyond
}

// Rows of another pitch.
__global__ void rows(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        m[y * (width + 1) + x] = 0.0f;
//      ^^^^^^^^^^^^^^^^^^^^^^ beyond
}

__device__ int table[64];

__global__ void look(int *out) {
    out[threadIdx.x] = table[threadIdx.x + 1];
//                     ^^^^^^^^^^^^^^^^^^^^^^ beyond
}

// Behind the start of its memory.
__global__ void shifted(float *part) {
    part[threadIdx.x] = 0.0f;
//  ^^^^^^^^^^^^^^^^^ beyond
}

int main() {
    float *a, *v, *d, *m, *part;
    int *counts, *out;
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&v, N * sizeof(float));
    cudaMallocManaged(&d, N * sizeof(float));
    cudaMalloc((void **)&counts, N);
    cudaMalloc(&m, 100 * 50 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMalloc(&part, 100 * sizeof(float));
    tail<<<(N + 255) / 256, 256>>>(a, N);
    difference<<<(N + 255) / 256, 256>>>(v, d);
    fill<<<(N + 255) / 256, 256>>>(counts, N);
    rows<<<dim3(7, 4), dim3(16, 16)>>>(m, 100, 50);
    look<<<1, 64>>>(out);
    shifted<<<1, 64>>>(part + 64);
    return 0;
}
