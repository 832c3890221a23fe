// Structures by value, a load that a loop hands to a function without changing it, and threads that walk on over what
// their neighbours have read.
struct Box {
  int label;
  float score, x, y;
  float rest[16];
};
struct Small {
  float values[12];
};
__device__ float total(Small one) { return one.values[0] + one.values[11]; }
__device__ float distance(const Box *a, const Box *b) {
  return (a->x - b->x) * (a->x - b->x);
//        ^^^^ struct-field information
}

__global__ void sums(const Small *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = total(in[i]);
//                          ^^^^^ whole-struct warning
}

__global__ void near(const Box *boxes, int n, float limit, unsigned *mask) {
  __shared__ Box tile[32];
  tile[threadIdx.x] = boxes[32 * blockIdx.x + threadIdx.x];
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ whole-struct
  __syncthreads();
  const Box *own = boxes + 32 * blockIdx.y + threadIdx.x;
  unsigned found = 0;
  for (int k = 0; k < 32; k++)
    if (distance(own, tile + k) < limit) found |= 1u << k;
  mask[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = found;
}

__global__ void nextOf(const unsigned long long *points, int *out, int angles, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= angles * bins) return;
  int angle = i / bins, bin = i % bins;
  int next = bin + 1;
  for (; next < bins; next++)
    if (points[6 * (angle * bins + next)] != 0) break;
//      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride warning
  out[i] = next;
}

void run(const Small *in, float *out, const Box *boxes, unsigned *mask, const unsigned long long *points, int n) {
  sums<<<n / 256, 256>>>(in, out, n);
  near<<<dim3(n / 32, n / 32), 32>>>(boxes, n, 1.0f, mask);
  nextOf<<<n / 256, 256>>>(points, (int *)out, n, n);
}
