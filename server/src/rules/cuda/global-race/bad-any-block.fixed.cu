// Blocks of any size show it.
__global__ void sumOf(const float *in, double *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}
