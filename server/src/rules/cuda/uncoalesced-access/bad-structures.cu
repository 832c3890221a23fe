// Structures of 80 bytes, vectors among their fields, and what many threads add to vectors.
struct __align__(16) Motion {
  float4 position;
  double3 force, torque;
  double2 rest;
};

__global__ void addTorque(Motion *motions, double3 torque, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double3 old = motions[i].torque;
//              ^^^^^^^^^^^^^^^^^ struct-field warning
  old.x += torque.x;
  old.y += torque.y;
  old.z += torque.z;
  motions[i].torque = old;
//^^^^^^^^^^^^^^^^^ struct-field hint
}

__global__ void keep(const Motion *now, Motion *before, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) before[i] = now[i];
//           ^^^^^^^^^ whole-struct warning
//                       ^^^^^^ whole-struct warning
}

// All parts of a vector are added to: one piece of each sector. One part is another matter.
__global__ void addForces(float4 *forces, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float f = x[i];
  atomicAdd(&forces[i].x, f);
//           ^^^^^^^^^^^ struct-field warning
  atomicAdd(&forces[i].y, 2 * f);
//           ^^^^^^^^^^^ struct-field hint
  atomicAdd(&forces[i].z, 3 * f);
//           ^^^^^^^^^^^ struct-field hint
}

__global__ void addOne(float4 *forces, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&forces[i].x, x[i]);
//                      ^^^^^^^^^^^ struct-field warning
}

void run(Motion *motions, Motion *before, double3 torque, float4 *forces, const float *x, int n) {
  addTorque<<<n / 256, 256>>>(motions, torque, n);
  keep<<<n / 256, 256>>>(motions, before, n);
  addForces<<<n / 256, 256>>>(forces, x, n);
  addOne<<<n / 256, 256>>>(forces, x, n);
}
