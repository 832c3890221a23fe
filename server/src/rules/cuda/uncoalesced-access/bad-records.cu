// Records of 24 and 36 bytes that lie one behind the other: half of one and more is what their layout makes of them.
struct Particle {
  float r[3], v[3];
};
struct Hit {
  int primitive, side;
  float distance, normal[3], uv[2], depth;
};

__global__ void lowest(const Particle *particles, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = particles[i].r[0];
//            ^^^^^^^^^^^^^^^^^ struct-field warning
  sum += particles[i].r[1];
//       ^^^^^^^^^^^^^^^^^ struct-field hint
  sum += particles[i].r[2];
//       ^^^^^^^^^^^^^^^^^ struct-field hint
  sums[i] = sum;
}

__global__ void speeds(const Particle *moving, float *speed, int n) {
  for (int at = threadIdx.x + blockDim.x * blockIdx.x; at < n; at += gridDim.x * blockDim.x)
    speed[at] = sqrtf(moving[at].v[0]);
//                    ^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void keepHits(const float *distances, Hit *hits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Hit hit = {};
  hit.distance = distances[i];
  hits[i] = hit;
//^^^^^^^ whole-struct warning
}

// The names of an enumeration inside a function are numbers: all three parts of a force are read and written.
struct Force {
  float f[3];
};
__global__ void addForces(const float *added, Force *forces, int n) {
  enum { X, Y, Z = Y + 1 };
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float *f = forces[i].f;
  f[X] += added[i];
//^^^^ struct-field warning
  f[Y] -= added[i];
//^^^^ struct-field hint
  f[Z] *= added[i];
//^^^^ struct-field hint
}

void run(const Particle *p, float *sums, const float *distances, Hit *hits, Force *forces, int n) {
  lowest<<<(n + 255) / 256, 256>>>(p, sums, n);
  speeds<<<(n + 255) / 256, 256>>>(p, sums, n);
  keepHits<<<(n + 255) / 256, 256>>>(distances, hits, n);
  addForces<<<(n + 255) / 256, 256>>>(distances, forces, n);
}
