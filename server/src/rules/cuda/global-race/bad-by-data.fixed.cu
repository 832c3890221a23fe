// Data decide whether two threads meet.
__global__ void histogram(const unsigned char *value, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[value[i]], 1);
}

__global__ void scatter(const int *to, const float *by, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int place = to[i];
    atomicAdd(&sum[place], by[i]);
}

// The rows of a matrix are apart.
__global__ void scaleRows(const int *row, float *value, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        for (int k = row[i]; k < row[i + 1]; k++) value[k] *= 2.0f;
}

__global__ void copyTo(const int *to, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[to[i]] = in[i];
}

void launch(const unsigned char *value, int *bins, const int *to, const float *by, float *sum, int n) {
    histogram<<<(n + 255) / 256, 256>>>(value, bins, n);
    scatter<<<(n + 255) / 256, 256>>>(to, by, sum, n);
    scaleRows<<<(n + 255) / 256, 256>>>(to, sum, n);
    copyTo<<<(n + 255) / 256, 256>>>(to, by, sum, n);
}
