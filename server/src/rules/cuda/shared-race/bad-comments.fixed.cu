// A barrier goes above the comment of a statement, and is indented as the lines around it are.
__global__ void weighted(const float *in, float *out) {
    __shared__ float s[256];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] = s[t] / 2 + s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void mirror(const float *in, float *out) {
    __shared__ float line[256];
    line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; // here

    __syncthreads();
    /* The mirrored
       element. */
    // Of the same block.
    out[blockIdx.x * 256 + threadIdx.x] = line[255 - threadIdx.x];
}

void launch(float *a, float *b, int n) {
    weighted<<<n / 256, 256>>>(a, b);
    mirror<<<n / 256, 256>>>(a, b);
}
