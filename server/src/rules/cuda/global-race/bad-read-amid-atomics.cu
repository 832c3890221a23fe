// An array that atomics of other threads change is read in the same launch, where data decide whether they meet.
__global__ void relax(const int *from, const int *to, const int *weight, int *distance, int edges) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges) return;
    int through = distance[from[i]] + weight[i];
    atomicMin(&distance[to[i]], through);
    //         ^^^^^^^^^^^^^^^ read-amid-atomics information
}

__global__ void spread(const int *to, float *value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int other = to[i];
    atomicAdd(&value[other], 0.5f * value[i]);
    //         ^^^^^^^^^^^^ read-amid-atomics information
}

// Two arrays.
__global__ void relaxInto(const int *from, const int *to, const int *weight, const int *before, int *after, int edges) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < edges) atomicMin(&after[to[i]], before[from[i]] + weight[i]);
}

// The read asks whether the atomic is worth its time, at the place that the atomic has.
__global__ void relaxIfLess(const int *to, const int *weight, int *distance, int edges) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < edges && weight[i] < distance[to[i]]) atomicMin(&distance[to[i]], weight[i]);
}

// A condition reads it: a thread that finds the older value does the work later.
__global__ void fromLevel(const int *from, const int *to, int *level, int now, int edges) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < edges && level[from[i]] == now) atomicMin(&level[to[i]], now + 1);
}

// Another part of the array.
__global__ void count(const int *to, const float *weight, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum[to[i]], weight[i] * sum[n + i]);
}

void launch(const int *from, const int *to, const int *weight, int *a, int *b, const float *w, float *f, int n) {
    relax<<<(n + 255) / 256, 256>>>(from, to, weight, a, n);
    spread<<<(n + 255) / 256, 256>>>(to, f, n);
    relaxInto<<<(n + 255) / 256, 256>>>(from, to, weight, a, b, n);
    relaxIfLess<<<(n + 255) / 256, 256>>>(to, weight, a, n);
    fromLevel<<<(n + 255) / 256, 256>>>(from, to, a, 1, n);
    count<<<(n + 255) / 256, 256>>>(to, w, f, n);
}
