// A method copies the flag of convergence on each iteration; `Buffer` is of a header in real programs.
template <typename T> struct Buffer {
  T *host, *device;
  int size;
  void download();
};
template <typename T> void Buffer<T>::download() {
  cudaMemcpy(host, device, size * sizeof(T), cudaMemcpyDeviceToHost);
}
struct State {
  Buffer<int> *converged;
  float *values;
};

__global__ void relax(float *values, int *converged) { converged[threadIdx.x] = values[threadIdx.x] < 1e-3f; }

void solve(State *state, int steps) {
  for (int i = 0; i < steps; i++) {
    relax<<<1, 256>>>(state->values, state->converged->device);
    state->converged->download();
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ number warning
    if (state->converged->host[0]) break;
  }
}
