// One field of many bodies; a field inside a field through a pointer.
struct Vector { double x, y, z; };
struct Body { Vector position; Vector velocity; double mass; };
typedef struct { float re; float im; float weight; } Term;

__global__ void totalMass(const Body *bodies, double *masses, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) masses[i] = bodies[i].mass;
  //                     ^^^^^^^^^^^^^^ struct-field warning
}

__global__ void drift(Body *bodies, double dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body *body = &bodies[i];
  body->position.x += body->velocity.x * dt;
//^^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void weights(const Term *terms, float *out, int n) {
  for (int k = threadIdx.x + blockIdx.x * blockDim.x; k < n; k += blockDim.x * gridDim.x)
    out[k] = terms[k].weight;
  //         ^^^^^^^^^^^^^^^ struct-field warning
}

void launchAll(Body *bodies, double *masses, const Term *terms, float *out, int n) {
  totalMass<<<(n + 255) / 256, 256>>>(bodies, masses, n);
  drift<<<(n + 255) / 256, 256>>>(bodies, 0.01, n);
  weights<<<512, 128>>>(terms, out, n);
}
