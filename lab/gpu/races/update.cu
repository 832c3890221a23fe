// What kernels leave in memory whose updates race; warplens check --fix --unsafe-fixes gives the other side.
#include "body.cuh"
__global__ void countAbove(const float *level, int *above, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && level[i] > limit)
        above[0] = above[0] + 1;
}
__global__ void addBlocks(const float *part, float *sum) {
    int t = threadIdx.x;
    sum[t] += part[blockIdx.x * blockDim.x + t];
}
__global__ void histogram(const unsigned char *value, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[value[i]]++;
}
__global__ void sumOf(const float *in, double *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += in[i];
}
__global__ void scatter(const int *to, const float *by, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int place = to[i];
    sum[place] = sum[place] - by[i];
}
int main() {
    int n = 1 << 20;
    std::vector<float> level(n), part(n, 1.0f);
    std::vector<unsigned char> value(n);
    std::vector<int> to(n);
    int above = 0; std::vector<int> bins(256); std::vector<float> sums(256), spread(1000);
    for (int i = 0; i < n; i++) { level[i] = rand() % 100; above += level[i] > 50; value[i] = rand() % 256; bins[value[i]]++; sums[i % 256] += 1; to[i] = rand() % 1000; spread[to[i]] -= 1; }
    float *l = up(level), *p = up(part), *s = up(std::vector<float>(256)), *sp = up(std::vector<float>(1000));
    unsigned char *v = up(value); int *a = up(std::vector<int>(1)), *b = up(std::vector<int>(256)), *t = up(to); double *d = up(std::vector<double>(1));
    countAbove<<<(n + 255) / 256, 256>>>(l, a, 50, n);
    addBlocks<<<n / 256, 256>>>(p, s);
    histogram<<<(n + 255) / 256, 256>>>(v, b, n);
    sumOf<<<(n + 255) / 256, 256>>>(p, d, n);
    scatter<<<(n + 255) / 256, 256>>>(t, p, sp, n);
    CK(cudaDeviceSynchronize());
    printf("countAbove %d of %d\n", down(a, 1)[0], above);
    int okS = 0, okB = 0, okP = 0; auto S = down(s, 256); auto B = down(b, 256); auto P = down(sp, 1000);
    for (int i = 0; i < 256; i++) { okS += S[i] == sums[i]; okB += B[i] == bins[i]; }
    for (int i = 0; i < 1000; i++) okP += P[i] == spread[i];
    printf("addBlocks %d of 256 right\nhistogram %d of 256 right\nsumOf %.0f of %d\nscatter %d of 1000 right\n", okS, okB, down(d, 1)[0], n, okP);
}
