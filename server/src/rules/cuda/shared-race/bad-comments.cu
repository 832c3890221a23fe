// A barrier goes directly behind what it orders, and is indented as the lines around it are.
__global__ void weighted(const float *in, float *out) {
    __shared__ float s[256];
    const unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) s[t] = s[t] / 2 + s[t + half];
        //                              ^^^^^^^^^^^ unseen-write
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void mirror(const float *in, float *out) {
    __shared__ float line[256];
    line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; // here

    /* The mirrored
       element. */
    // Of the same block.
    out[blockIdx.x * 256 + threadIdx.x] = line[255 - threadIdx.x];
    //                                    ^^^^^^^^^^^^^^^^^^^^^^^ unseen-write
}

__global__ void scaled(const float *in, float *out, int n) {
    __shared__ float line[256];
    line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    const int last = 255;
    float sum = 0;

    // Four values each.
#pragma unroll
    for (int i = 0; i < 4; i++) sum += line[last - threadIdx.x] * i;
    //                                 ^^^^^^^^^^^^^^^^^^^^^^^^ unseen-write
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void chosen(const float *in, float *out) {
    __shared__ float line[256];
#if __CUDA_ARCH__ >= 700
    line[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
#else
    line[threadIdx.x] = 0;
#endif

#pragma unroll
    for (int i = 0; i < 4; i++) out[blockIdx.x * 256 + threadIdx.x] += line[255 - threadIdx.x] * i;
    //                                                                 ^^^^^^^^^^^^^^^^^^^^^^^ unseen-write
}

void launch(float *a, float *b, int n) {
    weighted<<<n / 256, 256>>>(a, b);
    mirror<<<n / 256, 256>>>(a, b);
    scaled<<<n / 256, 256>>>(a, b, n);
    chosen<<<n / 256, 256>>>(a, b);
}
