// Two namespaces with a size each, a directive in the function that chooses between them,
// and a difference that reads like a cast.
namespace plane {
inline constexpr int edge{32};
inline constexpr int reach{3};
inline constexpr int inner{((edge)-2 * (reach))};
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

__global__ void blur(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = in[y * n + x] * 0.5f;
}

void runPlane(const float *in, float *out, int n) {
  using namespace plane;
  const dim3 block(inner, inner);
  blur<<<dim3(n / inner, n / inner), block>>>(in, out, n);
}

void runInner(const float *in, float *out, int n) {
  using namespace volume;
  const dim3 block(inner, inner, inner);
  smooth<<<dim3(n / inner, n / inner, n / inner), block>>>(in, out, n);
}
