// Elements of other blocks, and of threads of the same one where no barrier fits.
__global__ void relax(float *cell, float *next, int n, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < turns; turn++) {
        if (i < n) next[i] = cell[i];
        __syncthreads();
        if (i > 0 && i < n - 1) cell[i] = 0.5f * (next[i - 1] + next[i + 1]);
//                                                ^^^^^^^^^^^ read-by-block
        __syncthreads();
    }
}

__global__ void smoothInPlace(float *v) {
    int i = threadIdx.x;
    if (i > 0) v[i] = 0.5f * (v[i] + v[i - 1]);
//             ^^^^ overwritten
}

__global__ void lastBlock(int *last) {
    if (threadIdx.x == 0) last[0] = blockIdx.x;
//                        ^^^^^^^ written-by-blocks
}

__global__ void lastOfAll(const float *in, float *last) {
    last[0] = in[threadIdx.x];
//  ^^^^^^^ two-writes
}

// The first block writes what the others read.
__global__ void accept(float *box, const float *next, float *volume, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) volume[i] *= box[0];
    //                      ^^^^^^ read-by-block
    if (i < 9) box[i] = next[i];
}

void launch(float *a, float *b, int *last, int n) {
    relax<<<(n + 255) / 256, 256>>>(a, b, n, 100);
    smoothInPlace<<<1, 512>>>(a);
    lastBlock<<<64, 128>>>(last);
    lastOfAll<<<1, 256>>>(a, b);
    accept<<<(n + 255) / 256, 256>>>(a, b, b, n);
}

// Rows of any length: neighbours in the next block, and in the next row.
__global__ void life(unsigned char *cell, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int around = cell[(y - 1) * w + x] + cell[(y + 1) * w + x] + cell[y * w + x - 1] + cell[y * w + x + 1];
    //           ^^^^^^^^^^^^^^^^^^^^^ read-by-block
    cell[y * w + x] = around == 3;
}

__global__ void largest(const int *v, int *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && v[i] > *most) *most = v[i];
    //                         ^^^^^ lost-update
}

void launchMore(unsigned char *cell, const int *v, int *most, int w, int h, int n) {
    life<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(cell, w, h);
    largest<<<(n + 255) / 256, 256>>>(v, most, n);
}
