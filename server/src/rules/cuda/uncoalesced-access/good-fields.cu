// Fields of aligned structures, read and written side by side: nvcc moves them in one instruction.
struct __align__(16) Sphere { float x, y, z, radius; };

__global__ void distances(const float4 *__restrict__ places, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float fromLatitude = places[i].x * 0.0174533f;
  const float fromLongitude = places[i].y * 0.0174533f;
  const float toLatitude = places[i].z * 0.0174533f;
  const float toLongitude = places[i].w * 0.0174533f;
  out[i] = fromLatitude * toLatitude + fromLongitude * toLongitude;
}

__global__ void grow(Sphere *spheres, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  spheres[i].x *= by;
  spheres[i].y *= by;
  spheres[i].z *= by;
  spheres[i].radius *= by;
}

__global__ void halves(short2 *pairs, const float2 *points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 p = points[i];
  pairs[i].x = (short)p.x;
  pairs[i].y = (short)p.y;
}

void launches(const float4 *places, float *out, Sphere *spheres, short2 *pairs, const float2 *points, int n) {
  distances<<<(n + 255) / 256, 256>>>(places, out, n);
  grow<<<128, 256>>>(spheres, 1.5f);
  halves<<<128, 256>>>(pairs, points);
}
