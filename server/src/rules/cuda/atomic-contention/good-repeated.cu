// Two atomics that cannot become one: of other elements, of other paths, or with a look at the sum between them.
__global__ void paths(float *sum, const int *__restrict__ bins, const float *__restrict__ v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = bins[i];
    if (v[i] < 0.f) {
        atomicAdd(&sum[b], 1.f);
        return;
    }
    atomicAdd(&sum[b], v[i]);
}

__global__ void others(float *sum, const int *__restrict__ bins, const float *__restrict__ v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = bins[i];
    atomicAdd(&sum[b], v[i]);
    b = bins[i + n];
    atomicAdd(&sum[b], v[i]);
}

__global__ void looks(float *sum, float *out, const int *__restrict__ bins, const float *__restrict__ v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = bins[i];
    atomicAdd(&sum[b], v[i]);
    out[i] = sum[b];
    atomicAdd(&sum[b], -v[i]);
}

__global__ void results(int *count, int *out, const int *__restrict__ bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = bins[i];
    out[i] = atomicAdd(&count[b], 1);
    atomicMax(&count[b], 1);
}

__global__ void phases(float *sum, const int *__restrict__ bins, const float *__restrict__ v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int b = bins[i];
    atomicAdd(&sum[b], v[i]);
    __syncthreads();
    atomicAdd(&sum[b], v[i + n]);
}

void launch(float *sum, int *count, float *out, int *places, const int *bins, const float *v, int n) {
    paths<<<n / 256, 256>>>(sum, bins, v, n);
    others<<<n / 256, 256>>>(sum, bins, v, n);
    looks<<<n / 256, 256>>>(sum, out, bins, v, n);
    results<<<n / 256, 256>>>(count, places, bins, n);
    phases<<<n / 256, 256>>>(sum, bins, v, n);
}
