// Behind an array of structures of unknown size the distance between lanes is no number of bytes.
template <typename T, int D, int ROWS>
struct Stage {
  T rows[ROWS * D];
  float out[ROWS];
};

template <typename T, int D, int ROWS>
__global__ void sums_of_stages(const T *in, float *out) {
  extern __shared__ char raw[];
  auto &stages = *reinterpret_cast<Stage<T, D, ROWS>(*)[4]>(raw);
  auto &stage = stages[threadIdx.y / 2];
  for (int i = threadIdx.x; i < D * ROWS; i += 32) stage.rows[i] = in[i];
  __syncthreads();
  constexpr int each = D / 32;
  float sum = 0;
  for (int i = 0; i < each; i++) sum += stage.rows[threadIdx.y * D + threadIdx.x * each + i];
  //                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ other warning
  out[threadIdx.x] = sum;
}
