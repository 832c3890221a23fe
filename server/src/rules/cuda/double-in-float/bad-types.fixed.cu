// The float is found through typedefs, structures, vectors, references and device functions.
typedef float real;
using Scalar = real;
struct Particle { real x, y, mass; };

__device__ inline void push(Particle &p, Scalar dt) { p.x += real(0.3) * dt * p.mass; }
__device__ float clampTo(float value, float top) { return value > top ? top : value; }

template <typename T>
__global__ void step(Particle *particles, float4 *forces, real dt, T count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Particle p = particles[i];
  push(p, dt);
  float4 f = forces[i];
  f.w = clampTo(f.x * 0.7f, 10.0f);
  auto drift = p.y;
  p.y = static_cast<float>(drift * real(1.1));
  forces[i] = make_float4(f.x, f.y / 3.3f, f.z, f.w);
  particles[i] = p;
}

void run(Particle *particles, float4 *forces, int n) { step<int><<<(n + 127) / 128, 128>>>(particles, forces, 0.1f, n); }
