// Rows of 40 halves, padded for those who read fragments of a matrix: two of eight lanes that store meet.
__global__ void fragments(const uint4 *a, uint4 *out, int n) {
  __shared__ __align__(16) unsigned short rows[32 * 40];
  int t = threadIdx.x;
  *(uint4 *)(rows + (t / 4) * 40 + (t % 4) * 8) = a[blockIdx.x * blockDim.x + t];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ wide hint
  __syncthreads();
  unsigned parts[4];
  unsigned at = (unsigned)__cvta_generic_to_shared(rows + (t % 16) * 40 + (t / 16 % 2) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
               : "r"(at));
  out[blockIdx.x * blockDim.x + t] = make_uint4(parts[0], parts[1], parts[2], parts[3]);
}

void run(const uint4 *a, uint4 *out, int n) { fragments<<<n, 128>>>(a, out, n); }
