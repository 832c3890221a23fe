// Each thread has a place of its own, all store one number, or an atomic, a fence or a lock orders them.
__device__ unsigned finished;
__device__ int lock;

__global__ void scale(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2.0f;
}

__global__ void anyAbove(const float *level, bool *found, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && level[i] > limit) *found = true;
}

__global__ void count(const float *level, int *above, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && level[i] > limit) atomicAdd(above, 1);
}

__global__ void first(float *total, const float *part, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        for (int k = 0; k < n; k++) total[0] += part[k];
}

__global__ void chosen(float *total, const float *part, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != which) return;
    total[0] += part[i];
}

__global__ void oneBlock(float *cell, float *next, int turns) {
    int i = threadIdx.x;
    for (int turn = 0; turn < turns; turn++) {
        next[i] = cell[i];
        __syncthreads();
        if (i > 0 && i < 255) cell[i] = 0.5f * (next[i - 1] + next[i + 1]);
        __syncthreads();
    }
}

__global__ void inPairs(float *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0) v[i] += v[i + 1];
}

__global__ void fold(float *v, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) v[i] += v[i + half];
}

__global__ void lastSums(const float *part, float *sums, float *total) {
    __shared__ bool isLast;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[blockIdx.x];
        __threadfence();
        isLast = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast && threadIdx.x == 0)
        for (int k = 0; k < gridDim.x; k++) total[0] += sums[k];
}

__global__ void locked(float *total, const float *part) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) { }
        total[0] += part[blockIdx.x];
        __threadfence();
        atomicExch(&lock, 0);
    }
}

__global__ void inTurn(float *total, const float *part) {
    for (int turn = 0; turn < 256; turn++) {
        if (threadIdx.x == turn) total[0] += part[turn];
        __syncthreads();
    }
}

void launch(float *v, float *w, bool *found, int *above, float limit, int n) {
    scale<<<(n + 255) / 256, 256>>>(v, n);
    anyAbove<<<(n + 255) / 256, 256>>>(v, found, limit, n);
    count<<<(n + 255) / 256, 256>>>(v, above, limit, n);
    first<<<(n + 255) / 256, 256>>>(v, w, n);
    chosen<<<(n + 255) / 256, 256>>>(v, w, n / 3);
    oneBlock<<<1, 256>>>(v, w, 100);
    inPairs<<<n / 256, 256>>>(v);
    fold<<<n / 256, 256>>>(v, n / 2);
    lastSums<<<64, 256>>>(v, w, v);
    locked<<<64, 256>>>(v, w);
    inTurn<<<1, 256>>>(v, w);
}

// Rows of any length: each thread has its element, though the next block's columns would fill a short row.
__global__ void fade(float *pixel, int w, int h, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float *at = pixel + y * pitch + 4 * x;
    at[0] = 0.5f * at[0];
    at[1] *= 0.5f;
}

__device__ int method;
__global__ void choose(const int *table, int which, int *out) {
    method = table[which];
    out[blockIdx.x * blockDim.x + threadIdx.x] = method;
}

void launchMore(float *pixel, const int *table, int *out, int w, int h, size_t pitch) {
    fade<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(pixel, w, h, pitch);
    choose<<<64, 256>>>(table, 1, out);
}
