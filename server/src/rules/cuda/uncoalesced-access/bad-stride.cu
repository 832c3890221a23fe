// The imaginary parts of interleaved complex numbers, taken through a macro and in a template.
#define IMAG(k) (2 * (k) + 1)

template <typename T>
__global__ void takeImaginary(const T *interleaved, T *imaginary, unsigned int count) {
  const unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
  if (tid >= count) return;
  imaginary[tid] = interleaved[IMAG(tid)];
  //               ^^^^^^^^^^^^^^^^^^^^^^ stride warning
}

__global__ void everyFourth(const int *__restrict__ samples, int *__restrict__ kept, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    kept[i] = samples[i << 2];
    //        ^^^^^^^^^^^^^^^ stride
  }
}

void launch(const double *interleaved, double *imaginary, const int *samples, int *kept, int n) {
  takeImaginary<double><<<(n + 127) / 128, 128>>>(interleaved, imaginary, n);
  everyFourth<<<1024, 256>>>(samples, kept, n);
}
