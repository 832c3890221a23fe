// Fields of structures whose arrays the file makes, fills, reads and frees itself.
#include <cstddef>
#include <cstdio>

struct Body {
  float x, y, z;
  double mass;
  float vx, vy, vz;
};

// The fields of `Body` side by side on the GPU.
struct BodyFields {
  float *x = nullptr;
  float *y = nullptr;
  float *z = nullptr;
  double *mass = nullptr;
  float *vx = nullptr;
  float *vy = nullptr;
  float *vz = nullptr;
};

static inline cudaError_t allocateBodyFields(BodyFields &all, size_t count) {
  cudaError_t error = cudaMalloc((void **)&all.x, count * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.y, count * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.z, count * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.mass, count * sizeof(double));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.vx, count * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.vy, count * sizeof(float));
  if (error == cudaSuccess) error = cudaMalloc((void **)&all.vz, count * sizeof(float));
  return error;
}

template <typename T>
static inline cudaError_t copyToBodyFields(T *to, const Body *from, T Body::*field, size_t count) {
  T *values = new T[count];
  for (size_t k = 0; k < count; k++) values[k] = from[k].*field;
  const cudaError_t error = cudaMemcpy(to, values, count * sizeof(T), cudaMemcpyHostToDevice);
  delete[] values;
  return error;
}

static inline cudaError_t copyToBodyFields(BodyFields &to, const Body *from, size_t count) {
  cudaError_t error = copyToBodyFields(to.x, from, &Body::x, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.y, from, &Body::y, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.z, from, &Body::z, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.mass, from, &Body::mass, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.vx, from, &Body::vx, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.vy, from, &Body::vy, count);
  if (error == cudaSuccess) error = copyToBodyFields(to.vz, from, &Body::vz, count);
  return error;
}

template <typename T>
static inline cudaError_t copyFromBodyFields(Body *to, T Body::*field, const T *from, size_t count) {
  T *values = new T[count];
  const cudaError_t error = cudaMemcpy(values, from, count * sizeof(T), cudaMemcpyDeviceToHost);
  for (size_t k = 0; error == cudaSuccess && k < count; k++) to[k].*field = values[k];
  delete[] values;
  return error;
}

static inline cudaError_t copyFromBodyFields(Body *to, const BodyFields &from, size_t count) {
  cudaError_t error = copyFromBodyFields(to, &Body::x, from.x, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::y, from.y, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::z, from.z, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::mass, from.mass, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::vx, from.vx, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::vy, from.vy, count);
  if (error == cudaSuccess) error = copyFromBodyFields(to, &Body::vz, from.vz, count);
  return error;
}

static inline cudaError_t freeBodyFields(const BodyFields &all) {
  cudaError_t error = cudaFree(all.x);
  if (error == cudaSuccess) error = cudaFree(all.y);
  if (error == cudaSuccess) error = cudaFree(all.z);
  if (error == cudaSuccess) error = cudaFree(all.mass);
  if (error == cudaSuccess) error = cudaFree(all.vx);
  if (error == cudaSuccess) error = cudaFree(all.vy);
  if (error == cudaSuccess) error = cudaFree(all.vz);
  return error;
}

// Moves them.
__global__ void drift(BodyFields bodies, float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bodies.x[i] += step * bodies.vx[i];
}

__global__ void heavier(BodyFields bodies, float *heavy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) heavy[i] = bodies.mass[i] > bodies.mass[i + 1];
}

void run(Body *bodies, float *heavy, int n) {
  BodyFields onGpu; Body *unused;
  const size_t bytes = n * sizeof(Body);
  if (allocateBodyFields(onGpu, n) != cudaSuccess) return;
  cudaMalloc((void **)&unused, bytes);
  cudaError_t error = copyToBodyFields(onGpu, bodies, n);
  for (int step = 0; step < 100; step++) drift<<<(n + 255) / 256, 256>>>(onGpu, 0.5f, n);
  heavier<<<(n + 255) / 256, 256>>>(onGpu, heavy, n);
  if (error == cudaSuccess) error = copyFromBodyFields(bodies, onGpu, n);
  freeBodyFields(onGpu);
  cudaFree(unused);
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
}
