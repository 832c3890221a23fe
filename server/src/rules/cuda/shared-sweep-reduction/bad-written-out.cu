// Steps written one by one: the barrier before the first counts, too.
__global__ void blockSums(const float *x, float *y) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) s[t] += s[t + 32];
//  ^^^^^^^^^^^ sweep warning
    __syncthreads();
    if (t < 16) s[t] += s[t + 16];
    __syncthreads();
    if (t < 8) s[t] += s[t + 8];
    __syncthreads();
    if (t < 4) s[t] += s[t + 4];
    __syncthreads();
    if (t < 2) s[t] += s[t + 2];
    __syncthreads();
    if (t < 1) s[t] += s[t + 1];
    __syncthreads();
    if (t == 0) y[blockIdx.x] = s[0];
}
void launch(const float *x, float *y) { blockSums<<<8192, 64>>>(x, y); }
