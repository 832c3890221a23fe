// Shared memory: columns, padding, wide accesses, swizzles, fused neighbours, a stride that shrinks in a loop, dynamic arrays.
#define TILE 32
__global__ void banks(float *out, const float *in) {
  __shared__ float tile[TILE][TILE];
  __shared__ float padded[TILE][TILE + 1];
  __shared__ double wide[256];
  __shared__ float4 quads[256];
  extern __shared__ int dynamic[];
  const int x = threadIdx.x, y = threadIdx.y;
  const int t = y * blockDim.x + x;
  tile[y][x] = in[t];
//             ^^^^^ load 4/4
//^^^^^^^^^^ store 1/1
  padded[y][x] = 0;
//^^^^^^^^^^^^ store 1/1
  __syncthreads();
  float sum = tile[x][y];
//            ^^^^^^^^^^ load 32/1
  sum += padded[x][y];
//       ^^^^^^^^^^^^ load 1/1
  sum += tile[y][x ^ y];
//       ^^^^^^^^^^^^^^ load 1/1
  __syncthreads();
  sum += wide[t & 255];
//       ^^^^^^^^^^^^^ load 2/2
  sum += wide[(2 * t) & 255];
//       ^^^^^^^^^^^^^^^^^^^ load 4/2
  sum += quads[t & 255].y;
//       ^^^^^^^^^^^^^^^^ load 4/4
  float4 q = quads[t & 255];
//           ^^^^^^^^^^^^^^ load fused
  __syncthreads();
  dynamic[t * 2] = 1;
//^^^^^^^^^^^^^^ store fused
  dynamic[t * 2 + 1] = 2;
//^^^^^^^^^^^^^^^^^^ store 2/2
  __syncthreads();
  sum += dynamic[4 * t];
//       ^^^^^^^^^^^^^^ load 4/1
  out[t] = sum + q.x;
//^^^^^^ store 4/4
}

__global__ void sweep(int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
//^^^^^^^^^^^^^^ store 1/1
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int at = 2 * d * threadIdx.x;
    if (at < 128) s[at] += s[at + d];
//                ^^^^^ load 2.88/1
//                ^^^^^ store 2.88/1
//                         ^^^^^^^^^ load 2.88/1
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
//                      ^^^^^^^^^^^^^^^ store 1/1
//                                        ^^^^ load 1/1
}

void run(float *out, const float *in, int *sums) {
  banks<<<10, dim3(32, 8), 8192>>>(out, in);
  sweep<<<10, 128>>>(sums);
}
