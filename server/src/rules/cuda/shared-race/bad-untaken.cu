// The only barrier between two accesses is in an arm that shared memory decides on.
__global__ void skippedBarrier(const int *in, int *out, int n) {
    __shared__ int flag;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) flag = in[i];
        //                    ^^^^ overwritten warning
        __syncthreads();
        if (flag) {
            out[i * blockDim.x + threadIdx.x] = i;
            __syncthreads();
        }
    }
}

__global__ void afterwards(const float *in, float *out) {
    __shared__ float s[256];
    __shared__ int many;
    int t = threadIdx.x;
    if (t == 0) many = in[blockIdx.x] > 0.0f;
    __syncthreads();
    s[t] = in[t];
    if (many > 0) {
        out[t] = 0.0f;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[255 - t];
    //                          ^^^^^^^^^^ unseen-write warning
}

void launch(const int *in, int *out, const float *f, float *g, int n) {
    skippedBarrier<<<n, 256>>>(in, out, n);
    afterwards<<<n, 256>>>(f, g);
}
