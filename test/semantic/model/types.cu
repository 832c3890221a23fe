// The size of the machine's access: vectors, structures, alignment, casts, fields.
struct Particle { float x, y, z; int kind; double mass; };
struct alignas(16) Quad { float v[4]; };
union Bits { float f; unsigned u; };
namespace lib { template <typename T> struct Pair { T first, second; }; }
using Link = lib::Pair<int>;

__global__ void typed(const float3 *three, const float4 *four, const Particle *particles, const Quad *quads, const Bits *bits, const Link *links, const float *plain, float *out) {
  const unsigned t = threadIdx.x + blockIdx.x * blockDim.x;
  float3 p = three[t];
//           ^^^^^^^^ load 12/4
  float4 q = four[t];
//           ^^^^^^^ load 16/16
  Quad r = quads[t];
//         ^^^^^^^^ load 16/16
  float4 s = reinterpret_cast<const float4 *>(plain)[t];
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ load 16/16
  float sum = p.x + q.x + r.v[0] + s.x;
  sum += particles[t].y;
//       ^^^^^^^^^^^^^^ load 24/4
  sum += (float)particles[t].mass;
//              ^^^^^^^^^^^^^^^^^ load 24/8
  sum += bits[t].f;
//       ^^^^^^^^^ load 4/4
  sum += links[t].second;
//       ^^^^^^^^^^^^^^^ load 8/4
  sum += (&four[t])->w;
//       ^^^^^^^^^^^^^ load 16/4
  out[t] = sum;
//^^^^^^ store 4/4
}

void run(const float3 *a, const float4 *b, const Particle *c, const Quad *d, const Bits *e, const Link *f, const float *g, float *h) {
  typed<<<80, 128>>>(a, b, c, d, e, f, g, h);
}
