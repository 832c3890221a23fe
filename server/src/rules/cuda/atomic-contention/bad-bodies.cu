// The only statement of a block takes no further braces, and the body of a condition takes those of the condition.
__global__ void sums(const float *x, float *sum, int n, int which) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, x[i]);
        //        ^^^ global
    }
    if (which > 0 && i < n)
        atomicAdd(sum + 1, x[i]);
        //        ^^^^^^^ global
    else if (i < n) // the rest
        atomicAdd(sum + 2, x[i]);
        //        ^^^^^^^ global
}

__global__ void positives(const float *x, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Only those that are there.
    for (; i < n; i += gridDim.x * blockDim.x)
        if (x[i] > 0) atomicAdd(count, 1);
        //                      ^^^^^ counter
}

void launch(float *x, float *sum, int *count, int n, int which) {
    sums<<<(n + 255) / 256, 256>>>(x, sum, n, which);
    positives<<<1024, 256>>>(x, count, n);
}
