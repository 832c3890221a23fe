// Strides that are the harmless ones in practice: bytes at run time, and constants of types that nothing in sight fixes.
template <typename Vec>
__global__ void packed(const float *in, float *out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * Vec::size;
  for (int k = 0; k < Vec::size; k++) out[i + k] = in[i + k];
//                                    ^^^^^^^^^^ row-per-thread warning
//                                                 ^^^^^^^^^ row-per-thread information
}

__global__ void tensor(const char *in, char *out, size_t nb0, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *(float *)(out + i * nb0) = *(const float *)(in + i * nb0) * 2.0f;
//           ^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
//                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}
