// Pointers to variables of a thread: their elements are in registers, and hold what the variable does.
__device__ void set(float *p, int k) { p[k] = 1; }
__global__ void variables(const float4 *x, const int4 *y, float *a, const float *table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 raw = x[i];
//             ^^^^ load 16/16
  const float2 *pairs = (const float2 *)&raw;
  int4 from = y[i];
//            ^^^^ load 16/16
  int *first = reinterpret_cast<int *>(&from) + 1;
  int u = threadIdx.x, *at = &u;
  float one;
  set(&one, 0);
  a[i] = pairs[0].x + pairs[1].y + one;
//^^^^ store 4/4
  a[i] = table[first[1]];
//       ^^^^^^^^^^^^^^^ load gather
//^^^^ store 4/4
  a[i] = table[at[0] * 32];
//       ^^^^^^^^^^^^^^^^^ load 32/4
//^^^^ store 4/4
}
void run(float4 *x, int4 *y, float *a, float *t) { variables<<<64, 256>>>(x, y, a, t); }
