// Stencils that overwrite elements which other threads still read.
#include <cstdlib>

__global__ void heat(float *cell, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) cell[i] = 0.25f * cell[i - 1] + 0.5f * cell[i] + 0.25f * cell[i + 1];
    //                                        ^^^^^^^^^^^ read-by-block
}

void simulate(float *host, int n, int steps) {
    size_t bytes = n * sizeof(float);
    float *d_cell; // on the GPU
    cudaMalloc(&d_cell, bytes);
    cudaMemcpy(d_cell, host, bytes, cudaMemcpyHostToDevice);
    for (int step = 0; step < steps; step++)
        heat<<<(n + 255) / 256, 256>>>(d_cell, n);
    cudaMemcpy(host, d_cell, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_cell);
}

#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)

__global__ void laplace(double *grid, int w, int h, double by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    double around = grid[(y - 1) * w + x] + grid[(y + 1) * w + x] + grid[y * w + x - 1] + grid[y * w + x + 1];
    //              ^^^^^^^^^^^^^^^^^^^^^ read-by-block
    grid[y * w + x] += by * (around - 4.0 * grid[y * w + x]);
}

void relax(double *host, int w, int h) {
    double *grid = nullptr;
    CHECK(cudaMalloc((void **)&grid, sizeof(double) * w * h));
    cudaMemcpy(grid, host, sizeof(double) * w * h, cudaMemcpyHostToDevice);
    dim3 block(16, 16), blocks((w + 15) / 16, (h + 15) / 16);
    // Twice in a step.
    for (int step = 0; step < 100; step++) {
        laplace<<<blocks, block>>>(grid, w, h, 0.1);
        CHECK(cudaGetLastError());
        laplace<<<blocks, block>>>(grid, w, h, 0.1);
    }
    cudaMemcpy(host, grid, sizeof(double) * w * h, cudaMemcpyDeviceToHost);
    CHECK(cudaFree(grid));
}

__global__ void smooth(int *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) v[i] = (v[i] + v[i + 1]) / 2;
    //                            ^^^^^^^^ read-by-block
}

void once(int *host, int n) {
    int *v;
    cudaMalloc(&v, n * sizeof(int));
    cudaMemcpy(v, host, n * sizeof(int), cudaMemcpyHostToDevice);
    smooth<<<n / 128, 128>>>(v, n);
    smooth<<<n / 128, 128>>>(v, n - 1);
    cudaMemcpy(host, v, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(v);
}

// Each launch writes fewer elements.
void shrink(int *host, int n) {
    int *v;
    cudaMalloc(&v, n * sizeof(int));
    cudaMemcpy(v, host, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int step = 0; step < 4; step++)
        smooth<<<n / 128, 128>>>(v, n - step);
    cudaMemcpy(host, v, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(v);
}

// Others write the array on each iteration: all elements are copied before each launch.
__global__ void edges(float *v, int n, float left) {
    v[0] = left;
    v[n - 1] = -left;
}

__global__ void spread(float *__restrict__ v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) v[i] -= v[i - 1] + v[i + 1];
    //                              ^^^^^^^^ read-by-block
}

void spreadAll(float left, int steps, cudaStream_t stream) {
    const int n = 1 << 16;
    float *out, *v;
    cudaMalloc(&out, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    for (int i = 0; i < n; i++) v[i] = i % 7;
    for (int step = 0; step < steps; step++) {
        edges<<<1, 1, 0, stream>>>(v, n, left);
        spread<<<n / 256, 256, 0, stream>>>(v, n); // in place
    }
    spread<<<n / 256, 256, 0, stream>>>(out, n);
    cudaStreamSynchronize(stream);
    if (steps >= 0) cudaFree(v);
    cudaFree(out);
}
