// Data decide which threads come, or to which place, and a barrier or their own warp orders them.
__global__ void flagged(const int *in, int *out, int n) {
    __shared__ bool full;
    int count = 0;
    if (threadIdx.x == 0) full = false;
    __syncthreads();
    for (int j = 0; j < n; j++) {
        if (in[j * 256 + threadIdx.x] > 3 && ++count == 4) full = true;
        __syncthreads();
        if (full) {
            out[j * 256 + threadIdx.x] = count;
            count = 0;
            __syncthreads();
            if (threadIdx.x == 0) full = false;
        }
        __syncthreads();
    }
}

// A thread comes only where the arm was taken before.
__global__ void afterTheArm(const int *in, int *out, int n) {
    __shared__ bool full;
    bool fresh = true;
    if (threadIdx.x == 0) full = false;
    __syncthreads();
    for (int j = 0; j < n; j++) {
        if (fresh && in[j * 256 + threadIdx.x] > 3) {
            full = true;
            fresh = false;
        }
        __syncthreads();
        if (full) {
            out[j * 256 + threadIdx.x] = j;
            fresh = true;
            __syncthreads();
            if (threadIdx.x == 0) full = false;
            __syncthreads();
        }
    }
}

// What is asked tells whether the write is worth its time.
__global__ void most(const float *in, float *out) {
    __shared__ bool any;
    if (threadIdx.x == 0) any = false;
    __syncthreads();
    if (!any && in[blockIdx.x * 256 + threadIdx.x] > 0.0f) any = true;
    __syncthreads();
    if (any) out[blockIdx.x * 256 + threadIdx.x] = 1.0f;
}

// One half is read while the other is written.
__global__ void halves(const int *index, float *out, const float *in) {
    __shared__ float rows[512];
    rows[threadIdx.x] = in[threadIdx.x];
    float sum = 0.0f;
    for (int rec = 0; rec < 4; rec++) {
        __syncthreads();
        int other = index[rec * 256 + threadIdx.x];
        sum += rows[other + 256 * (rec % 2)];
        rows[threadIdx.x + 256 * ((rec + 1) % 2)] = sum;
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Each warp has bins of its own.
__global__ void binsOfWarps(const int *in, int *out) {
    __shared__ int bins[8][32];
    int warp = threadIdx.x / 32;
    bins[warp][threadIdx.x % 32] = 0;
    __syncwarp();
    atomicAdd(&bins[warp][in[threadIdx.x]], 1);
    __syncwarp();
    out[threadIdx.x] = bins[warp][threadIdx.x % 32];
}

// Each thread has a place of its own.
__global__ void ownPlaces(const int *in, int *out, int n) {
    __shared__ int kept[256];
    kept[threadIdx.x] = 0;
    for (int j = 0; j < n; j++)
        if (in[j * 256 + threadIdx.x] > 3) kept[threadIdx.x] = j;
    out[threadIdx.x] = kept[threadIdx.x];
}

void launch(const int *in, int *out, const float *f, float *g, int n) {
    flagged<<<264, 256>>>(in, out, n);
    afterTheArm<<<264, 256>>>(in, out, n);
    most<<<264, 256>>>(f, g);
    halves<<<264, 256>>>(in, g, f);
    binsOfWarps<<<264, 256>>>(in, out);
    ownPlaces<<<264, 256>>>(in, out, n);
}
