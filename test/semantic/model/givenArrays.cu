// Arrays within a structure that a launch passes by value come with it; a pointer beside them leads to global memory.
struct Sizes {
  int each[4];
  const float *table;
  __host__ __device__ int operator[](int at) const { return each[at]; }
};
template <class T> __global__ void given(T *out, const float *in, Sizes sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = sizes.table[i];
  //          ^^^^^^^^^^^^^^ load 4/4
  for (int k = 0; k < sizes[1] + sizes.each[2]; k++) sum += (T) *in;
  //                                                            ^^^ load 1/1
  out[i] = sum;
//^^^^^^ store 4/4
}
void run(float *out, float *in, float *table, int n) {
  Sizes sizes;
  sizes.each[1] = n;
  sizes.each[2] = 7;
  sizes.table = table;
  given<<<64, 256>>>(out, in, sizes);
}
