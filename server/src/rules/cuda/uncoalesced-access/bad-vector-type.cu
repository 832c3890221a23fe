// Points of three floats, which no single instruction moves.
#define BLOCK 256

__global__ void shiftPoints(const float3 *points, float3 *shifted, float3 by, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float3 p = points[i];
//             ^^^^^^^^^ vector-type hint
    shifted[i] = make_float3(p.x + by.x, p.y + by.y, p.z + by.z);
//  ^^^^^^^^^^ vector-type warning
  }
}

void shift(const float3 *points, float3 *shifted, float3 by, int n) {
  shiftPoints<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(points, shifted, by, n);
}
