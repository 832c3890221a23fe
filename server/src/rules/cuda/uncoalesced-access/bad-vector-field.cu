// One component of a vector of three: what is moved is a field, and no vector in parts.
__global__ void flatten(float3 *velocity, int first, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n) velocity[p + first].y = 0.0f;
//           ^^^^^^^^^^^^^^^^^^^^^ struct-field warning
}

void launch(float3 *velocity, int first, int n) { flatten<<<(n + 255) / 256, 256>>>(velocity, first, n); }
