// Two namespaces with a size each, and a directive in the function that chooses between them.
namespace plane {
inline constexpr int edge{32};
inline constexpr int reach{19};
inline constexpr int inner{edge - 2 * reach};
}  // namespace plane
namespace volume {
inline constexpr int edge{8};
inline constexpr int reach{1};
inline constexpr int inner{edge - 2 * reach};
}  // namespace volume

__global__ void smooth(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n) out[(z * n + y) * n + x] = in[(z * n + y) * n + x] * 0.5f;
}

void run(const float *in, float *out, int n) {
  using namespace volume;
  const dim3 block(edge, edge, edge);
  smooth<<<dim3(n / edge, n / edge, n / edge), block>>>(in, out, n);
}

void runInner(const float *in, float *out, int n) {
  using namespace volume;
  const dim3 block(inner, inner, inner);
  smooth<<<dim3(n / inner, n / inner, n / inner), block>>>(in, out, n);
}
