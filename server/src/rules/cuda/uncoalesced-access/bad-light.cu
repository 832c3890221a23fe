// What matters comes first: the same waste in the kernel that does the work, and in those that stand beside it.
struct Body { float mass, charge, x, y; };

__global__ void attract(const Body *bodies, float *force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 64; k++) sum += bodies[i + 256 * k].mass;
//                                    ^^^^^^^^^^^^^^^^^^^^^^^^ struct-field warning
  force[i] = sum;
}

__global__ void discharge(Body *bodies, const float *part, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i].charge = part[i];
//           ^^^^^^^^^^^^^^^^ struct-field warning
}

void run(Body *bodies, float *force, const float *part, int n) {
  attract<<<n / 256, 256>>>(bodies, force, n);
  discharge<<<n / 256, 256>>>(bodies, part, n);
}
