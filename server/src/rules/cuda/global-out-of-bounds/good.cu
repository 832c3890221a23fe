// Threads that stay in their memory, and memory whose size is not settled.
#include <cuda_runtime.h>
#include <cstdlib>

const int N = 1000;

__global__ void guarded(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = 2.0f;
}

__global__ void leaving(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    a[i] = 2.0f;
}

__global__ void clamped(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - 1)
        i = n - 1;
    int j = min(i, n - 1);
    atomicAdd(&a[i], 1.0f);
    atomicAdd(&a[j], 1.0f);
}

__global__ void strided(float *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = 2.0f;
}

__global__ void either(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? a[i] : 0.0f;
    if (i > 0 && i < n - 1)
        a[i] = v + 1.0f;
    else if (i == 0 || i == n - 1)
        a[i] = v;
}

__global__ void inner(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float left = i == 0 || i >= n ? 0.0f : in[i - 1];
    float right = i < n - 1 ? in[i + 1] : 0.0f;
    if (i < n)
        out[i] = left + right;
}

__global__ void skips(float *a, int n) {
    for (int k = 0; k < 4; k++) {
        int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
        if (i >= n)
            break;
        a[i] = 2.0f;
    }
}

__global__ void whole(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 2.0f;
}

__global__ void before(float *a) {
    a[(int)threadIdx.x - 64] = 2.0f;
}

__global__ void looked(const int *at, float *a) {
    int i = at[threadIdx.x];
    if (a[threadIdx.x] > 1.0f)
        a[threadIdx.x + 5000] = 1.0f;
    a[i + 5000] = 1.0f;
}

__global__ void flagged(float *a, int flag) {
    if (flag)
        a[threadIdx.x + 5000] = 1.0f;
}

// Of its own kernel each, since one finding speaks for all launches.
__global__ void ofGlobal(float *a) { a[threadIdx.x] = 2.0f; }
__global__ void ofCast(float *a) { a[threadIdx.x] = 2.0f; }
__global__ void ofBox(float *a) { a[threadIdx.x] = 2.0f; }
__global__ void ofList(float *a) { a[threadIdx.x] = 2.0f; }
__global__ void ofEither(float *a) { a[threadIdx.x] = 2.0f; }

struct Box {
    float *p;
};
void growBox(Box &box);

unsigned total = 0;
void addTotal() {
    for (int doc = 0; doc < 1000; doc++)
        total += rand() % 100;
}

void allocate(float **a, size_t bytes) {
    cudaMalloc(a, bytes);
}

int main(int argc, char **argv) {
    float *a, *b, *c, *d, *e, *f, *both[2];
    int *at;
    cudaMalloc(&a, N * sizeof(float));
    guarded<<<(N + 255) / 256, 256>>>(a, N);
    leaving<<<(N + 255) / 256, 256>>>(a, N);
    clamped<<<(N + 255) / 256, 256>>>(a, N);
    strided<<<16, 256>>>(a, N);
    either<<<(N + 255) / 256, 256>>>(a, N);
    inner<<<(N + 255) / 256, 256>>>(a, a, N);
    skips<<<4, 256>>>(a, N);
    // Freed, and allocated again.
    cudaFree(a);
    cudaMalloc(&a, 1024 * sizeof(float));
    whole<<<4, 256>>>(a);
    // A pointer behind the start.
    before<<<1, 64>>>(a + 64);
    // Data decide, or an argument.
    cudaMalloc(&at, 64 * sizeof(int));
    looked<<<1, 64>>>(at, a);
    flagged<<<1, 64>>>(a, argc);
    // Sizes that are not known.
    int n = atoi(argv[1]);
    cudaMalloc(&b, n * sizeof(float));
    whole<<<4, 256>>>(b);
    // Either of two.
    cudaMalloc(&c, 64 * sizeof(float));
    if (argc > 2) {
        cudaFree(c);
        cudaMalloc(&c, 1024 * sizeof(float));
    }
    whole<<<4, 256>>>(c);
    // Another function's.
    allocate(&d, 64 * sizeof(float));
    allocate(&e, 1024 * sizeof(float));
    whole<<<4, 256>>>(e);
    // Two that are swapped.
    cudaMalloc(&both[0], 64 * sizeof(float));
    cudaMalloc(&both[1], 1024 * sizeof(float));
    f = both[1];
    whole<<<4, 256>>>(f);
    for (int step = 0; step < argc; step++) {
        float *other = d;
        d = e;
        e = other;
    }
    if (argc > 3)
        whole<<<4, 256>>>(argc > 4 ? d : e);
    // A variable of the file, which a loop changes.
    addTotal();
    float *g, *q, *list[2];
    cudaMalloc(&g, total * sizeof(float));
    ofGlobal<<<1, 256>>>(g);
    // Functions that are not known may allocate.
    cudaMalloc(&q, 64);
    cudaHostAlloc((void **)&q, 4096, 0);
    ofCast<<<1, 256>>>(q);
    Box box;
    cudaMalloc(&box.p, 64);
    growBox(box);
    ofBox<<<1, 256>>>(box.p);
    // An element of an array of pointers, allocated again.
    cudaMalloc(&list[0], 64);
    cudaMalloc(&list[0], 4096);
    ofList<<<1, 256>>>(list[0]);
    cudaMalloc(&g, 64);
    if (argc > 5)
        cudaMalloc(&g, 4096);
    ofEither<<<1, 256>>>(g);
    return 0;
}

// A pointer to rows leads to any number of them.
__global__ void brighten(float (*rows)[1024]) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    rows[y][x] = rows[y][x] * 2.0f;
}

void brightenAll(float (*rows)[1024]) { brighten<<<dim3(64, 64), dim3(16, 16)>>>(rows); }
