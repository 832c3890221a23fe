// One part of a complex number, whose layout a library gives; a structure of two has its layout by choice.
struct Edge { int from, to; };

__global__ void real_parts(const float2 *spectrum, float *image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = spectrum[i].x;
//                      ^^^^^^^^^^^^^ struct-field warning
}

__global__ void sources(const Edge *edges, int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) from[i] = edges[i].from;
//                     ^^^^^^^^^^^^^ struct-field warning
}

void run(const float2 *spectrum, float *image, const Edge *edges, int *from, int n) {
  real_parts<<<(n + 255) / 256, 256>>>(spectrum, image, n);
  sources<<<(n + 255) / 256, 256>>>(edges, from, n);
}
