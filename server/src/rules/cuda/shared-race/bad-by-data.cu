// Data decide which threads come, or to which place: a thread of another warp is there whichever they are.
struct State {
    int count;
    bool full;
};

template <typename T> __device__ void push(State &state, T *kept, T value, T limit) {
    if (value > limit) {
        int place = atomicAdd(&state.count, 1);
        kept[place & 255] = value;
        if (place >= 128) state.full = true;
        //                ^^^^^^^^^^ overwritten warning
    }
}

template <typename T> __global__ void pushes(const T *in, T *out, T limit, int n) {
    __shared__ State state;
    __shared__ T kept[256];
    if (threadIdx.x == 0) {
        state.count = 0;
        state.full = false;
    }
    __syncthreads();
    for (int j = 0; j < n; j++) {
        push<T>(state, kept, in[j * blockDim.x + threadIdx.x], limit);
        __syncthreads();
        if (state.full) {
            out[j * blockDim.x + threadIdx.x] = kept[threadIdx.x];
            __syncthreads();
            if (threadIdx.x == 0) {
                state.count = 0;
                state.full = false;
            }
            __syncthreads();
        }
    }
}

__global__ void counts(const int *in, int *out, int n) {
    __shared__ bool full;
    int count = 0;
    if (threadIdx.x == 0) full = false;
    __syncthreads();
    for (int j = 0; j < n; j++) {
        if (in[j * 256 + threadIdx.x] > 3 && ++count == 4) full = true;
        //                                                 ^^^^ overwritten warning
        __syncthreads();
        if (full) {
            out[j * 256 + threadIdx.x] = count;
            count = 0;
            if (threadIdx.x == 0) full = false;
            __syncthreads();
        }
    }
}

// The arrays begin at one address.
__global__ void gather(const int *index, const int *counts, float *out, const float4 *in, int stride) {
    extern __shared__ float4 rows[];
    rows[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    int count = counts[blockIdx.x * blockDim.x + threadIdx.x];
    for (int n = 0; n < count; n++) {
        int other = index[n * stride + blockIdx.x * blockDim.x + threadIdx.x];
        sum += rows[other].x;
    }
    extern __shared__ float sums[]; sums[threadIdx.x] = sum;
    //                              ^^^^^^^^^^^^^^^^^ overwritten warning
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sums[threadIdx.x ^ 1];
}

__global__ void bins(const int *in, int *out) {
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    atomicAdd(&bins[in[threadIdx.x]], 1);
    //         ^^^^^^^^^^^^^^^^^^^^^ two-writes warning
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void readsBins(const int *in, int *out) {
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int bin = in[threadIdx.x];
    atomicAdd(&bins[bin], 1);
    out[threadIdx.x] = bins[threadIdx.x];
    //                 ^^^^^^^^^^^^^^^^^ unseen-write warning
}

void launch(const int *in, int *out, const float *f, float *g, const float4 *rows, int n) {
    pushes<float><<<64, 256>>>(f, g, 1.0f, n);
    counts<<<64, 256>>>(in, out, n);
    gather<<<64, 256, 16 * 256>>>(in, in, g, rows, n);
    bins<<<1, 256>>>(in, out);
    readsBins<<<1, 256>>>(in, out);
}
