// Two blocks leave a GPU idle, whatever their sectors are; the same in as many as the data want is a warning.
#define WIDE 64

__global__ void ends(const float *rows, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = rows[i * WIDE];
//         ^^^^^^^^^^^^^^ stride hint
}
__global__ void heads(const float *rows, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = rows[i * WIDE] + 1.0f;
//                    ^^^^^^^^^^^^^^ stride warning
}

void launch(const float *rows, float *out, int n) {
  ends<<<2, 256>>>(rows, out);
  heads<<<(n + 255) / 256, 256>>>(rows, out, n);
}
