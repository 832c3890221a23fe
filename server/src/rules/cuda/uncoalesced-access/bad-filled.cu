// Four floats a thread, read one after the other: the lines ask for four times the sectors, and L1 catches all of it.
__global__ void length4(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[4 * i];
//          ^^^^^^^^^ stride hint
  float y = in[4 * i + 1];
//          ^^^^^^^^^^^^^ stride hint
  float z = in[4 * i + 2];
//          ^^^^^^^^^^^^^ stride hint
  float w = in[4 * i + 3];
//          ^^^^^^^^^^^^^ stride hint
  out[i] = x * x + y * y + z * z + w * w;
}

// One of four is read alone; the others are thrown away.
__global__ void first(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[4 * i];
//         ^^^^^^^^^ stride warning
}

// Nine floats of each thread, as three corners of a face; two of three components are read of the other.
__global__ void faces(const float *corners, const float3 *points, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 9; k++) sum += corners[9 * i + k];
//                                   ^^^^^^^^^^^^^^^^^^ stride warning
  out[i] = sum * points[i].x + points[i].y;
//               ^^^^^^^^^^^ struct-field information
}

// Stores are not caught.
__global__ void spread(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  out[8 * i] = v;
//^^^^^^^^^^ stride warning
  out[8 * i + 1] = v;
//^^^^^^^^^^^^^^ stride hint
  out[8 * i + 2] = v;
//^^^^^^^^^^^^^^ stride hint
  out[8 * i + 3] = v;
//^^^^^^^^^^^^^^ stride hint
  out[8 * i + 4] = v;
//^^^^^^^^^^^^^^ stride hint
  out[8 * i + 5] = v;
//^^^^^^^^^^^^^^ stride hint
}

// 64 bytes apart cost up to a fifth more.
__global__ void wide(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[16 * i] + in[16 * i + 2] + in[16 * i + 4] + in[16 * i + 6] + in[16 * i + 8] + in[16 * i + 10] +
//         ^^^^^^^^^^ stride warning
           in[16 * i + 12] + in[16 * i + 14] + in[16 * i + 1] + in[16 * i + 3] + in[16 * i + 5] + in[16 * i + 7];
//         ^^^^^^^^^^^^^^^ stride hint
}
