// Atomics of all blocks at one place, and plain accesses of it that a barrier of one block does not keep apart.
__global__ void sum(const float *in, float *total, int n) {
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t == 0) *total = 0.0f;
    part[t] = i < n ? in[i] : 0.0f;
    for (int s = 128; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) part[t] += part[t + s];
    }
    if (t == 0) atomicAdd(total, part[0]);
    //                    ^^^^^ set-by-block
}

__global__ void normalize(float *v, float *norm, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? v[i] : 0.0f;
    for (int lane = 16; lane > 0; lane >>= 1) value += __shfl_xor_sync(~0u, value, lane);
    if (threadIdx.x % 32 == 0) atomicAdd(&norm[0], value);
    __syncthreads();
    if (i < n) v[i] /= norm[0];
    //                 ^^^^^^^ read-by-each-block
}

__global__ void countWarps(const int *v, int *count) {
    if (threadIdx.x % 32 == 0) atomicAdd_block(count, v[blockIdx.x]);
    //                                         ^^^^^ atomic-of-block
}

void launch(float *v, const int *w, float *total, int *count, int n) {
    sum<<<(n + 255) / 256, 256>>>(v, total, n);
    normalize<<<(n + 255) / 256, 256>>>(v, total + 1, n);
    countWarps<<<n / 256, 256>>>(w, count);
}

// One block, and what one block of several alone sets afterwards.
__global__ void sumOfOne(const float *in, float *total) {
    if (threadIdx.x == 0) total[0] = 0.0f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&total[0], in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) total[1] = total[0] * 2.0f;
}

void launchOne(const float *v, float *total) { sumOfOne<<<1, 256>>>(v, total); }
