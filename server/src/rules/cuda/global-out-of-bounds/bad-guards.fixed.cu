// Guards that are missing or let one thread too many in, and what speaks against a guard.
#include <cuda_runtime.h>

#define LANES 64
const int N = 1000;
const int M = 1020;

__global__ void plane(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    m[y * width + x] = 1.0f;
}

__global__ void closed(float *m, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        m[y * width + x] = 1.0f;
}

__global__ void square(float *m, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    m[x + columns * y] = 1.0f;
}

__global__ void leaving(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    a[i] = 2.0f;
}

__global__ void helper(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool inside = i < n;
    if (inside)
        a[i] = 1.0f;
}

// All but the last iteration stores within the array.
__global__ void columns(float *a, int n) {
    for (int k = 0; k < n; k++)
        a[k * 16 + threadIdx.x] = 0.0f;
}

__global__ void cleared(float *m, int width, int height) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height)
        return;
    for (int x = 0; x < width; x++)
        m[y * width + x] = 0.0f;
}

// Others wait for the threads behind the statement.
__global__ void meeting(float *a, float *out, int n) {
    __shared__ float last[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    last[threadIdx.x] = 1.0f;
    if (i < n) {
        a[i] = 2.0f;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last[255];
}

// The longer array is stored to by more threads.
__global__ void lengths(float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = 1.0f;
    }
    if (i >= M)
        return;
    b[i] = 2.0f;
}

template <typename T>
__global__ void generic(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    a[i] = T(1);
}

template <int COUNT>
__global__ void counted(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= COUNT)
        return;
    a[i] = 1.0f;
}

__global__ void lanes(float *a) {
    int i = threadIdx.x;
    if (i >= LANES)
        return;
    a[i] = 1.0f;
}

// No guard: its warp needs the lane; two parameters have the size; it is another index; the shorter array ends first.
__global__ void warp(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[i];
//            ^^^^ beyond
    v += __shfl_down_sync(0xffffffff, v, 1);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = v;
}

__global__ void either(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 1.0f;
//  ^^^^ beyond
}

__global__ void shift(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i + 1];
//             ^^^^^^^^ beyond
}

__global__ void sums(const float *w, const float *v, float *out, int n) {
    float s = 0, t = 0;
    for (int k = 0; k <= n; k++) {
        s += w[k];
        t += v[k];
//           ^^^^ beyond
    }
    out[threadIdx.x] = s + t;
}

int main() {
    float *a, *b, *m, *wide, *strip, *out, *few;
    double *d;
    cudaMalloc(&a, N * sizeof(float));
    cudaMalloc(&b, M * sizeof(float));
    cudaMalloc(&m, 100 * 50 * sizeof(float));
    cudaMalloc(&wide, 100 * 100 * sizeof(float));
    cudaMalloc(&strip, 50 * 16 * sizeof(float));
    cudaMalloc(&out, 256 * sizeof(float));
    cudaMalloc(&few, LANES * sizeof(float));
    cudaMalloc(&d, 500 * sizeof(double));
    plane<<<dim3(7, 4), dim3(16, 16)>>>(m, 100, 50);
    closed<<<dim3(7, 4), dim3(16, 16)>>>(m, 100, 50);
    square<<<dim3(7, 7), dim3(16, 16)>>>(wide, 100, 100);
    leaving<<<4, 256>>>(a, N);
    helper<<<4, 256>>>(a, N);
    columns<<<1, 16>>>(strip, 50);
    cleared<<<1, 128>>>(m, 50, 100);
    meeting<<<4, 256>>>(a, out, N);
    lengths<<<4, 256>>>(a, b, N);
    generic<<<4, 256>>>(a, N);
    generic<<<2, 256>>>(d, 500);
    counted<N><<<4, 256>>>(a);
    lanes<<<1, 128>>>(few);
    warp<<<4, 256>>>(a, out, N);
    either<<<4, 256>>>(a, N, N);
    shift<<<4, 256>>>(a, b, N);
    sums<<<1, 256>>>(b, a, out, N);
    return 0;
}
