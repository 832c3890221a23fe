// Blocks of any size show it.
// trades for: cuda/atomic-contention global
__global__ void sumOf(const float *in, double *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += in[i];
    //         ^^^^ lost-update warning
}
