// Functions out of sight: what they fill differs between lanes, for all that is known.
__device__ void fill(float (&v)[4]);
__global__ void unseen(float *out, const float *in, Unknown f) {
  __shared__ float table[256];
  table[threadIdx.x] = 1;
//^^^^^^^^^^^^^^^^^^ store 1/1
  __syncthreads();
  float v[4], z, known = in[0];
//                       ^^^^^ load 1/1
  fill(v);
  f.one(in, z);
  f.one(in, known);
  int p = 127;
  if (v[0] > 1) p += 64;
  else p -= 64;
  out[threadIdx.x] = table[p];
//                   ^^^^^^^^ load 2/1 assumed
//^^^^^^^^^^^^^^^^ store 4/4
  int q = 100;
  if (z > 1) q += 50;
  else q -= 50;
  out[threadIdx.x + 512] = table[q];
//                         ^^^^^^^^ load 1/1 assumed
//^^^^^^^^^^^^^^^^^^^^^^ store 4/4
  int r = 90;
  if (known > 1) r += 31;
  else r -= 31;
  out[threadIdx.x + 1024] = table[r];
//                          ^^^^^^^^ load 1/1
//^^^^^^^^^^^^^^^^^^^^^^^ store 4/4
}
int main() { unseen<<<1, 256>>>(nullptr, nullptr, Unknown()); }
