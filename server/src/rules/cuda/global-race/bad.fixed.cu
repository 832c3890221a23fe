// Updates that several threads make at one place.
__global__ void countAbove(const float *level, int *above, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && level[i] > limit)
        atomicAdd(&above[0], 1);
}

void launch(const float *level, int *count, float limit, int n) {
    countAbove<<<(n + 255) / 256, 256>>>(level, count, limit, n);
}
