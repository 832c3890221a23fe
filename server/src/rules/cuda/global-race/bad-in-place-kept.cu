// Kernels that overwrite what other threads read, where no second buffer is offered.
struct Field {
    float *cells;
};
void allocate(float **v, int n);
int length();

// The host keeps the array in a structure.
__global__ void ofField(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

void launchOfField(Field field, int n) { ofField<<<n / 256, 256>>>(field.cells, n); }

__global__ void kept(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

void launchKept(Field *field, int n) {
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    kept<<<n / 256, 256>>>(v, n);
    field->cells = v;
}

// A function that is not seen allocates it.
__global__ void unseen(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

void launchUnseen(int n) {
    float *v;
    allocate(&v, n);
    unseen<<<n / 256, 256>>>(v, n);
    cudaFree(v);
}

// Its size changes between the allocation and the launch.
__global__ void shorter(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

void launchShorter() {
    int n = length();
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    n = n - 2;
    shorter<<<n / 256, 256>>>(v, n);
    cudaFree(v);
}

// The host swaps it itself.
__global__ void swapped(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

// A loop of steps, a second read, and a loop in which a thread reads what it wrote.
__global__ void steps(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < 5; step++)
        if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
        //                                        ^^^^^^^^ read-by-block
}

__global__ void twoReads(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
    if (i < n - 1) v[i] += v[i + 1];
}

__global__ void address(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *place = &v[i];
    if (i > 0 && i < n) v[i] = 0.5f * (*place + v[i - 1]);
    //                                          ^^^^^^^^ read-by-block
}

#define LEFT(v, i) v[i - 1]

__global__ void byMacro(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + LEFT(v, i));
    //                                        ^^^^^^^^^^ read-by-block
}

__global__ void named(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n) v[i] = 0.5f * (v[i] + v[i - 1]);
    //                                        ^^^^^^^^ read-by-block
}

// Each thread goes down a column, and reads what it wrote.
__global__ void column(float *v) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 1; y < 8; y++)
        if (x > 0) v[y * 1024 + x] = v[(y - 1) * 1024 + x] + v[y * 1024 + x - 1];
        //                                                   ^^^^^^^^^^^^^^^^^^^ read-by-block
}

void launchMore(int n) {
    float *f, *g, *h;
    cudaMalloc(&f, n * sizeof(float));
    cudaMalloc(&g, n * sizeof(float));
    cudaMalloc(&h, 8 * 1024 * sizeof(float));
    byMacro<<<n / 256, 256>>>(f, n);
    cudaFuncSetCacheConfig(named, cudaFuncCachePreferL1);
    named<<<n / 256, 256>>>(g, n);
    column<<<4, 256>>>(h);
}

void launch(int n) {
    float *a, *b, *c, *d, *e;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&e, n * sizeof(float));
    swapped<<<n / 256, 256>>>(a, n);
    std::swap(a, e);
    steps<<<n / 256, 256>>>(b, n);
    twoReads<<<n / 256, 256>>>(c, n);
    address<<<n / 256, 256>>>(d, n);
    cudaFree(a);
}
