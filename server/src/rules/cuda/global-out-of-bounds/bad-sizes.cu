// Sizes that the host leaves open.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void scale(float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] *= 2.0f;
//  ^^^^ beyond-for-some
}

__global__ void tail(float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        d[i] = 2.0f;
//      ^^^^ beyond-for-some
}

// Whatever the size is.
__global__ void neighbour(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 1];
//               ^^^^^^^^^ beyond-for-size
}

__global__ void previous(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i - 1];
//               ^^^^^^^^^ before
}

__global__ void rows(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    m[y * width + x] = 0.0f;
//  ^^^^^^^^^^^^^^^^ beyond-for-some
}

__global__ void bytes(int *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        counts[i] = i;
//      ^^^^^^^^^ beyond-for-size
}

// The other constraint.
__global__ void halves(float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    d[i] *= 2.0f;
//  ^^^^ beyond-for-some
}

void runHalves(int n) {
    if (n % 2)
        return;
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    halves<<<(n + 255) / 256, 256>>>(d, n);
}

void run(int n) {
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(d, n);
}

void runRows(int w, int h) {
    float *d;
    cudaMalloc(&d, w * h * sizeof(float));
    dim3 block(16, 16);
    dim3 grid((w + 15) / 16, (h + 15) / 16);
    rows<<<grid, block>>>(d, w, h);
}

int main(int argc, char **argv) {
    const int n = atoi(argv[1]);
    float *d, *in, *out;
    int *counts;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&counts, n);
    tail<<<(n + 255) / 256, 256>>>(d, n);
    neighbour<<<(n + 255) / 256, 256>>>(in, out, n);
    previous<<<(n + 255) / 256, 256>>>(in, out, n);
    bytes<<<(n + 255) / 256, 256>>>(counts, n);
    return 0;
}
