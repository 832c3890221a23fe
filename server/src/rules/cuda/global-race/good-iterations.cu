// A place that threads reach in different iterations, and the number that each stores there is the same.
__global__ void numberThrice(int *numbers, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += blockDim.x) numbers[i] = 3 * i + 1;
}

__global__ void numberByWarps(int *numbers, int n) {
    for (int i = threadIdx.x; i < n; i += 32) numbers[i] = i;
}

__global__ void squareAll(int *squares, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += blockDim.x) squares[i] = i * i;
}

void launch(int *numbers, int *squares, int n) {
    numberThrice<<<(n + 255) / 256, 256>>>(numbers, n);
    numberByWarps<<<1, 256>>>(numbers, n);
    squareAll<<<(n + 255) / 256, 256>>>(squares, n);
}
