// Stencils that overwrite elements which other threads still read.
#include <cstdlib>

__global__ void heat(const float *cell, float *cellNext, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) cellNext[i] = 0.25f * cell[i - 1] + 0.5f * cell[i] + 0.25f * cell[i + 1];
}

void simulate(float *host, int n, int steps) {
    size_t bytes = n * sizeof(float);
    float *d_cell; // on the GPU
    float *d_cell_next;
    cudaMalloc(&d_cell, bytes);
    cudaMalloc(&d_cell_next, bytes);
    cudaMemcpy(d_cell, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_cell_next, d_cell, bytes, cudaMemcpyDeviceToDevice);
    for (int step = 0; step < steps; step++) {
        heat<<<(n + 255) / 256, 256>>>(d_cell, d_cell_next, n);
        std::swap(d_cell, d_cell_next);
    }
    cudaMemcpy(host, d_cell, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_cell);
    cudaFree(d_cell_next);
}

#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)

__global__ void laplace(const double *grid, double *gridNext, int w, int h, double by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    double around = grid[(y - 1) * w + x] + grid[(y + 1) * w + x] + grid[y * w + x - 1] + grid[y * w + x + 1];
    gridNext[y * w + x] = grid[y * w + x] + by * (around - 4.0 * grid[y * w + x]);
}

void relax(double *host, int w, int h) {
    double *grid = nullptr;
    double *gridNext;
    CHECK(cudaMalloc((void **)&grid, sizeof(double) * w * h));
    CHECK(cudaMalloc((void **)&gridNext, sizeof(double) * w * h));
    cudaMemcpy(grid, host, sizeof(double) * w * h, cudaMemcpyHostToDevice);
    dim3 block(16, 16), blocks((w + 15) / 16, (h + 15) / 16);
    // Twice in a step.
    cudaMemcpy(gridNext, grid, sizeof(double) * w * h, cudaMemcpyDeviceToDevice);
    for (int step = 0; step < 100; step++) {
        laplace<<<blocks, block>>>(grid, gridNext, w, h, 0.1);
        std::swap(grid, gridNext);
        CHECK(cudaGetLastError());
        laplace<<<blocks, block>>>(grid, gridNext, w, h, 0.1);
        std::swap(grid, gridNext);
    }
    cudaMemcpy(host, grid, sizeof(double) * w * h, cudaMemcpyDeviceToHost);
    CHECK(cudaFree(grid));
    CHECK(cudaFree(gridNext));
}

__global__ void smooth(const int *v, int *vNext, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) vNext[i] = (v[i] + v[i + 1]) / 2;
}

void once(int *host, int n) {
    int *v;
    int *vOld;
    cudaMalloc(&v, n * sizeof(int));
    cudaMalloc(&vOld, n * sizeof(int));
    cudaMemcpy(v, host, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(vOld, v, n * sizeof(int), cudaMemcpyDeviceToDevice);
    smooth<<<n / 128, 128>>>(vOld, v, n);
    cudaMemcpy(vOld, v, n * sizeof(int), cudaMemcpyDeviceToDevice);
    smooth<<<n / 128, 128>>>(vOld, v, n - 1);
    cudaMemcpy(host, v, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(vOld);
}

// Each launch writes fewer elements.
void shrink(int *host, int n) {
    int *v;
    int *vOld;
    cudaMalloc(&v, n * sizeof(int));
    cudaMalloc(&vOld, n * sizeof(int));
    cudaMemcpy(v, host, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int step = 0; step < 4; step++) {
        cudaMemcpy(vOld, v, n * sizeof(int), cudaMemcpyDeviceToDevice);
        smooth<<<n / 128, 128>>>(vOld, v, n - step);
    }
    cudaMemcpy(host, v, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(vOld);
}

// Others write the array on each iteration: all elements are copied before each launch.
__global__ void edges(float *v, int n, float left) {
    v[0] = left;
    v[n - 1] = -left;
}

__global__ void spread(const float *__restrict__ v, float *__restrict__ vNext, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) vNext[i] = v[i] - (v[i - 1] + v[i + 1]);
}

void spreadAll(float left, int steps, cudaStream_t stream) {
    const int n = 1 << 16;
    float *out, *v;
    float *vOld;
    float *outOld;
    cudaMalloc(&out, n * sizeof(float));
    cudaMalloc(&outOld, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    cudaMallocManaged(&vOld, n * sizeof(float));
    for (int i = 0; i < n; i++) v[i] = i % 7;
    for (int step = 0; step < steps; step++) {
        edges<<<1, 1, 0, stream>>>(v, n, left);
        cudaMemcpyAsync(vOld, v, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
        spread<<<n / 256, 256, 0, stream>>>(vOld, v, n); // in place
    }
    cudaMemcpyAsync(outOld, out, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    spread<<<n / 256, 256, 0, stream>>>(outOld, out, n);
    cudaStreamSynchronize(stream);
    if (steps >= 0) {
        cudaFree(v);
        cudaFree(vOld);
    }
    cudaFree(out);
    cudaFree(outOld);
}
