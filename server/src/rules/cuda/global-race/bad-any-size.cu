// The host leaves the size open: a number of any size shows it.
__global__ void fold(float *v, int n) {
    int t = threadIdx.x;
    for (int s = n / 2; s > 0; s >>= 1) {
        if (t < s) v[t] += v[t + s];
        //                 ^^^^^^^^ unseen-write warning
    }
}

__global__ void foldInSteps(float *v, int n) {
    int t = threadIdx.x;
    for (int s = n / 2; s > 0; s >>= 1) {
        if (t < s) v[t] *= v[t + s];
        __syncthreads();
    }
}

void launch(float *v, int n) {
    fold<<<1, 256>>>(v, n);
    foldInSteps<<<1, 256>>>(v, n);
}
