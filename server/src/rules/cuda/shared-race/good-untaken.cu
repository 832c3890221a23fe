// Barriers in arms that shared memory decides on, with an order on every path.
__global__ void afterTheArm(const int *in, int *out, int n) {
    __shared__ int flag;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) flag = in[i];
        __syncthreads();
        if (flag) {
            out[i * blockDim.x + threadIdx.x] = i;
            __syncthreads();
        }
        __syncthreads();
    }
}

__global__ void inBothArms(const int *in, int *out, int n) {
    __shared__ int flag;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0) flag = in[i];
        __syncthreads();
        if (flag) {
            out[i * blockDim.x + threadIdx.x] = i;
            __syncthreads();
        } else {
            out[i * blockDim.x + threadIdx.x] = 0;
            __syncthreads();
        }
    }
}

// One of the two is taken.
__global__ void inOneOfTwo(const float *in, float *out) {
    __shared__ float s[256];
    __shared__ int many;
    int t = threadIdx.x;
    if (t == 0) many = in[blockIdx.x] > 0.0f;
    __syncthreads();
    s[t] = in[t];
    if (many) {
        out[t] = 0.0f;
        __syncthreads();
    }
    if (!many) {
        out[t] = 1.0f;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[255 - t];
}

// The loop ends where the arm is not taken.
__global__ void whileMore(const int *in, int *out, int n) {
    __shared__ int more;
    __shared__ int s[256];
    if (threadIdx.x == 0) more = 1;
    __syncthreads();
    for (int i = 0; i < n && more; i++) {
        s[threadIdx.x] = in[i * 256 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) more = in[n + i];
        __syncthreads();
        out[i * 256 + threadIdx.x] = s[255 - threadIdx.x];
        if (more) {
            out[n * 256 + threadIdx.x] = i;
            __syncthreads();
        }
    }
}

// What leaves may leave where the arm is not taken.
__global__ void leaves(const float *in, float *out) {
    __shared__ float s[256];
    __shared__ int many;
    int t = threadIdx.x;
    if (t == 0) many = in[blockIdx.x] > 0.0f;
    __syncthreads();
    s[t] = in[t];
    if (many) {
        out[t] = 0.0f;
        __syncthreads();
    }
    if (in[blockIdx.x] <= 0.0f) return;
    out[blockIdx.x * 256 + t] = s[255 - t];
}

void launch(const int *in, int *out, const float *f, float *g, int n) {
    afterTheArm<<<n, 256>>>(in, out, n);
    inBothArms<<<n, 256>>>(in, out, n);
    inOneOfTwo<<<n, 256>>>(f, g);
    whileMore<<<n, 256>>>(in, out, n);
    leaves<<<n, 256>>>(f, g);
}
