// Steps written one by one: the barrier before the first counts, too.
__global__ void blockSums(const float *x, float *y) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    {
        __shared__ float warpTotals[32];
        float total = s[t];
        for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
        if (t % 32 == 0) warpTotals[t / 32] = total;
        __syncthreads();
        if (t < 32) {
            total = t < blockDim.x / 32 ? warpTotals[t] : 0.0f;
            for (int offset = 16; offset > 0; offset >>= 1) total += __shfl_down_sync(0xffffffff, total, offset);
            if (t == 0) s[0] = total;
        }
    }
    __syncthreads();
    if (t == 0) y[blockIdx.x] = s[0];
}
void launch(const float *x, float *y) { blockSums<<<8192, 64>>>(x, y); }
