// What is handed over by reference is read where the function reads it, not where it is called.
struct Point {
  unsigned x[14], y[14], z[14];
};
__device__ void reset(Point &point) {}
struct Curve {
  static __device__ void atInfinity(Point &point) { reset(point); }
  static __device__ unsigned parity(const Point &point) { return 0; }
};

__global__ void clear(Point *buckets, unsigned *parities, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reset(buckets[i]);
  Curve::atInfinity(buckets[i]);
  parities[i] = Curve::parity(buckets[i]);
}

// A factor that is one or nothing by its name.
__global__ void quantise(signed char *out, const float *in, const float *scales, int rows, int scale_is_vector) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i % rows;
  out[i] = (signed char)(in[i] * 127.0f / scales[row * scale_is_vector]);
//                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown-stride warning
}

// Parts of pixels: four at most.
struct Image {
  unsigned char *data;
  int cols, ch;
};
__global__ void border(Image image, unsigned char value) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= image.cols) return;
  for (int c = 0; c < image.ch; c++) image.data[x * image.ch + c] = value;
//                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
}
__global__ void spread(float *out, const float *in, int images, int channelCount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= images) return;
  for (int c = 0; c < channelCount; c++) out[i * channelCount + c] = in[i];
//                                       ^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
}

void run(Point *buckets, unsigned *parities, signed char *out, const float *in, int n, int isVector, Image image) {
  clear<<<n / 256, 256>>>(buckets, parities, n);
  border<<<image.cols / 256, 256>>>(image, 0);
  spread<<<n / 256, 256>>>((float *)parities, in, n, image.ch);
  quantise<<<n / 256, 256>>>(out, in, in + n, n / 8, isVector);
}
