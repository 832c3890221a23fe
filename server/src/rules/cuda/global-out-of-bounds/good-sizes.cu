// Sizes that the host leaves open, and threads that stay within them.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdlib>

__global__ void guarded(float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] *= 2.0f;
}
__global__ void neighbour(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 1];
}
__global__ void rows(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        m[y * width + x] = 0.0f;
}
__global__ void strided(float *d, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        d[i] *= 2.0f;
}
// Of its own kernel each, since one finding speaks for all launches.
__global__ void asserted(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void returning(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void leaving(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void rounded(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void padded(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void whole(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void checked(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void thrown(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] *= 2.0f; }
__global__ void other(float *d, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        d[i] *= 2.0f;
}
void require(bool holds);

void runAsserted(int n) {
    assert(n % 256 == 0);
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    asserted<<<(n + 255) / 256, 256>>>(d);
}
void runReturning(int n) {
    float *d;
    if (n % 256)
        return;
    cudaMalloc(&d, n * sizeof(float));
    returning<<<(n + 255) / 256, 256>>>(d);
}
void runLeaving(int n) {
    float *d;
    if (n % 256 != 0)
        exit(1);
    cudaMalloc(&d, n * sizeof(float));
    leaving<<<(n + 255) / 256, 256>>>(d);
}
void runThrown(int n) {
    float *d;
    if (n % 256 != 0)
        throw n;
    cudaMalloc(&d, n * sizeof(float));
    thrown<<<(n + 255) / 256, 256>>>(d);
}
void runChecked(int n) {
    float *d;
    require(n % 256 == 0);
    cudaMalloc(&d, n * sizeof(float));
    checked<<<(n + 255) / 256, 256>>>(d);
}
void runRounded(int n) {
    float *d;
    n = (n + 255) / 256 * 256;
    cudaMalloc(&d, n * sizeof(float));
    rounded<<<n / 256, 256>>>(d);
}
void runPadded(int n) {
    float *d;
    cudaMalloc(&d, (n + 255) * sizeof(float));
    padded<<<(n + 255) / 256, 256>>>(d);
}
void runWhole(int blocks) {
    float *d;
    cudaMalloc(&d, blocks * 256 * sizeof(float));
    whole<<<blocks, 256>>>(d);
}
// Another integer, which may always be less.
void runOther(int n, int m) {
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    other<<<(m + 255) / 256, 256>>>(d, m);
}
// An integer that the device writes, through a pointer.
__global__ void chosen(float *d, int at) { d[at] = 1.0f; }
void choose(int *at, int *found) { cudaMemcpy(at, found, sizeof(int), cudaMemcpyDeviceToHost); }
void runChosen(int n, int *found) {
    int at = -1;
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    choose(&at, found);
    chosen<<<1, 1>>>(d, at);
}
// Blocks that do not come with the size.
__global__ void fixed(float *d) { d[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
void runFixed(int n) {
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    fixed<<<65536, 256>>>(d);
}
int main(int argc, char **argv) {
    const int n = atoi(argv[1]), w = atoi(argv[2]), h = atoi(argv[3]);
    float *d, *in, *m;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&in, (n + 1) * sizeof(float));
    cudaMalloc(&m, sizeof(float) * w * h);
    guarded<<<(n + 255) / 256, 256>>>(d, n);
    neighbour<<<(n + 255) / 256, 256>>>(in, d, n);
    rows<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(m, w, h);
    strided<<<64, 256>>>(d, n);
    return 0;
}
