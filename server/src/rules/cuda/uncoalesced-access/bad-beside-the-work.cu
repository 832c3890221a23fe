// Kernels that fill memory, or prepare something by their names, run once; the last does the same work under its own name.
struct Cell { float density, energy, flow, unused; };

__global__ void empty(Cell *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].density = 1.0f;
//           ^^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void bakeWalls(Cell *cells, const float *shape, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].energy = shape[i];
//           ^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void apply_boundary(Cell *cells, const float *shape, float at, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].unused = at * shape[i];
//           ^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void print_cells(Cell *shown, const float *shape, float at, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shown[i].density = at * shape[i];
//           ^^^^^^^^^^^^^^^^ struct-field warning
}

__global__ void drive(Cell *cells, const float *shape, float time, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].flow = shape[i] - time * time;
//           ^^^^^^^^^^^^^ struct-field warning
}

void run(Cell *cells, const float *shape, int n) {
  empty<<<n / 256, 256>>>(cells, n);
  bakeWalls<<<n / 256, 256>>>(cells, shape, n);
  apply_boundary<<<n / 256, 256>>>(cells, shape, 2.0f, n);
  print_cells<<<n / 256, 256>>>(cells, shape, 2.0f, n);
  drive<<<n / 256, 256>>>(cells, shape, 0.5f, n);
}
