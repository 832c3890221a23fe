// Doubles that hide in macros.
#define PI 3.14159265358979
#define GAMMA (1.4 - 1.0)
#define TWO 2.0
#define PRESSURE(density, energy) ((0.4) * (density) * (energy))
#include <cmath>

__device__ float area(float radius) { return PI * radius * radius; }
//                                           ^^ macro

__device__ __forceinline__ float angle(float degrees) { return M_PI * degrees / 180.0f; }
//                                                             ^^^^ macro

__global__ void state(const float *density, const float *energy, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = PRESSURE(density[i], energy[i]);
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ macro
    out[i] += GAMMA * density[i] * area(energy[i]);
//            ^^^^^ macro
    out[i] = out[i] * TWO;
//                    ^^^ narrowed hint
    out[i] += angle(out[i]);
  }
}

void run(const float *density, const float *energy, float *out, int n) { state<<<1, 128>>>(density, energy, out, n); }
