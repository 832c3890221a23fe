// A thread's sum over a chunk of its own: its iterations cannot go to other threads, so it is told as a row.
__global__ void sums(float *out, const float *in, const int *kinds, int points, int n) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= points) return;
  float sum = 0;
  int end = (t + 1) * n;
  for (int j = t * n; j < end; j++) {
    if (sum > 1e6f) break;
    sum += in[j];
//         ^^^^^ row-per-thread warning
  }
  out[t] = sum;
}

// The last thread of all fills its row's end alone; the place where all threads write is the one that is told.
__global__ void last(float *grads, const float *in, const int *lengths, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int most = lengths[blockIdx.y] - 1, row = lengths[blockIdx.y + 8] + 1;
  if (t > most) return;
  if (t == most) {
    grads[t * row] = 0.0f;
    return;
  }
  grads[t * row] = in[t];
//^^^^^^^^^^^^^^ unknown-stride warning
}

// Pixels of bytes some sections apart: the figure would hold for sixteen sections and more, of which there may be few.
__global__ void pixels(const unsigned char *in, float *out, int sections, int count) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < count) out[t] = in[t * sections] / 255.0f;
//                        ^^^^^^^^^^^^^^^^ unknown-stride warning
}

// The stride of the innermost dimension, which is 1 for what lies in memory as it is counted.
struct Strides { long n, c, h, w; };
__global__ void resample(const float *in, Strides strides, float *out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) out[blockIdx.y * width + x] = in[blockIdx.y * strides.h + x * strides.w];
//                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}

void launch(float *out, const float *in, const int *kinds, const int *lengths, int points, int n) {
  sums<<<(points + 255) / 256, 256>>>(out, in, kinds, points, n);
  resample<<<dim3(1024, 8), 256>>>(in, Strides(), out, points);
  pixels<<<(points + 255) / 256, 256>>>((const unsigned char *)in, out, n, points);
  last<<<dim3(1024, 8), 256>>>(out, in, lengths, n);
}

// An increment of vectors, as BLAS has it: 1, most often.
__global__ void scaled(const float *x, float *y, int n, int incx, int incy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i * incy] = 2.0f * x[i * incx];
//           ^^^^^^^^^^^ unknown-stride warning
//                                ^^^^^^^^^^^ unknown-stride warning
}
// A type that nothing in sight defines, of any size: only compilers have a version, and see it.
#ifdef __VERSION__
struct Parts {
  float a[4];
};
#endif
__global__ void moved(const Parts *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ((const float *)(in + 4 * i))[0];
//                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride hint
}
