// Memory that is set before, stored to first, read where data decide, or handed to code that is not known.
void fill(float *to, int n);

__global__ void sums(const float *in, float *out) {
  out[threadIdx.x] += in[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void stored(float *out) {
  out[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] += 1.0f;
}

__global__ void byBlock(float *out, int *ready) {
  if (blockIdx.x == 0) {
    while (atomicAdd(ready, 0) == 0) {
    }
    out[threadIdx.x] += 1.0f;
  } else {
    out[threadIdx.x] = threadIdx.x;
    __threadfence();
    if (threadIdx.x == 0) atomicExch(ready, 1);
  }
}

__global__ void chosen(const int *flags, float *out) {
  if (flags[threadIdx.x]) out[threadIdx.x] += 1.0f;
}

__global__ void guarded(const float *from, float *to, int n) {
  if (threadIdx.x < n) to[threadIdx.x] = from[threadIdx.x];
}

__global__ void partly(const int *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x];
}

__global__ void tickets(int *count, float *out) {
  out[threadIdx.x] = atomicExch(count, 1);
}

void launch(const float *values, const int *decisions, int n, bool isSet, cudaStream_t stream) {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemcpyAsync(in, values, 64 * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaMemsetAsync(out, 0, 64 * sizeof(float), stream);
  sums<<<1, 64, 0, stream>>>(in, out);

  float *first, *second;
  cudaMalloc(&first, 64 * sizeof(float));
  cudaMalloc(&second, 64 * sizeof(float));
  cudaMemset(second, 0, 64 * sizeof(float));
  stored<<<1, 64>>>(first);
  sums<<<1, 64>>>(first, second);

  float *alias, *same;
  cudaMalloc(&same, 64 * sizeof(float));
  alias = same;
  cudaMemset(alias, 0, 64 * sizeof(float));
  sums<<<1, 64>>>(in, same);

  float *shared;
  int *ready;
  cudaMalloc(&shared, 64 * sizeof(float));
  cudaMalloc(&ready, sizeof(int));
  cudaMemset(ready, 0, sizeof(int));
  byBlock<<<2, 64>>>(shared, ready);

  float *some;
  int *flags;
  cudaMalloc(&some, 64 * sizeof(float));
  cudaMalloc(&flags, 64 * sizeof(int));
  cudaMemcpy(flags, decisions, 64 * sizeof(int), cudaMemcpyHostToDevice);
  chosen<<<1, 64>>>(flags, some);

  float *given, *from;
  cudaMalloc(&given, 64 * sizeof(float));
  cudaMalloc(&from, 64 * sizeof(float));
  fill(given, 64);
  sums<<<1, 64>>>(in, given);
  guarded<<<1, 64>>>(from, out, n);

  int *upper, *lower;
  cudaMalloc(&upper, 64 * sizeof(int));
  cudaMalloc(&lower, 64 * sizeof(int));
  cudaMemset(upper, 0, 32 * sizeof(int));
  partly<<<1, 32>>>(upper, lower);

  float *maybe;
  cudaMalloc(&maybe, 64 * sizeof(float));
  if (isSet) cudaMemset(maybe, 0, 64 * sizeof(float));
  sums<<<1, 64>>>(in, maybe);

  float *managed;
  cudaMallocManaged(&managed, 64 * sizeof(float));
  for (int i = 0; i < 64; i++) managed[i] = values[i];
  sums<<<1, 64>>>(managed, out);

  float *parts;
  cudaMalloc(&parts, 64 * sizeof(float));
  for (int i = 0; i < n; i++) cudaMemcpy(parts + i, values + i, sizeof(float), cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(parts, out);

  int *count;
  cudaMalloc(&count, sizeof(int));
  tickets<<<1, 64>>>(count, out);
}
