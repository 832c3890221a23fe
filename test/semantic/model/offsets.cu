// Pointers that a launch hands over behind the start of what it allocated, and types whose size nobody knows.
constexpr int halo = 4;
__global__ void shifted(float *out, const float *in, const float *whole) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + whole[i];
//^^^^^^ store 5/4
//         ^^^^^ load 5/4
//                 ^^^^^^^^ load 4/4
}
__global__ void rows(double *out, const double *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
//^^^^^^ store 8/8
//         ^^^^^ load 9/8
}
template <typename T, int n>
struct Packed {
  T elements[n];
};
template <typename T, int n>
__global__ void packed(Packed<T, n> *out, const Packed<T, n> one) {
  out[threadIdx.x] = one;
//^^^^^^^^^^^^^^^^ store 8/4 assumed
}
template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T first;
  T second;
};
__global__ void pairs(Pair<float> *out, const Pair<float> one) {
  out[threadIdx.x] = one;
//^^^^^^^^^^^^^^^^ store 8/8
}
int main() {
  float *in, *out, *whole;
  double *more, *less;
  cudaMalloc(&in, 4096);
  cudaMalloc((void **)&out, 4096);
  cudaMalloc(&whole, 4096);
  cudaMalloc(&more, 4096);
  cudaMallocManaged(&less, 4096);
  shifted<<<8, 64>>>(out + halo, &in[halo], whole + 8 * halo);
  double *start = more + 2;
  start++;
  rows<<<8, 64>>>(less, start);
}
