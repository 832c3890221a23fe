// Four floats a thread, read one after the other: the lines ask for four times the sectors, and L1 catches all of it.
__global__ void length4(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[4 * i];
//          ^^^^^^^^^ stride warning
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
//                                   ^^^^^^^^^^^^^^^^^^ row-per-thread warning
  out[i] = sum * points[i].x + points[i].y;
//               ^^^^^^^^^^^ struct-field warning
}

// Stores are not caught.
__global__ void spread(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  if (reinterpret_cast<size_t>(&out[8 * i]) % 16 == 0) {
    alignas(16) float parts[4];
    parts[0] = v;
    parts[1] = v;
    parts[2] = v;
    parts[3] = v;
    *reinterpret_cast<uint4 *>(&out[8 * i]) = *reinterpret_cast<const uint4 *>(parts);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride warning
  } else {
    out[8 * i] = v;
    out[8 * i + 1] = v;
    out[8 * i + 2] = v;
    out[8 * i + 3] = v;
  }
  if (reinterpret_cast<size_t>(&out[8 * i + 4]) % 8 == 0) {
    alignas(8) float parts[2];
    parts[0] = v;
    parts[1] = v;
    *reinterpret_cast<uint2 *>(&out[8 * i + 4]) = *reinterpret_cast<const uint2 *>(parts);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride hint
  } else {
    out[8 * i + 4] = v;
    out[8 * i + 5] = v;
  }
}

// 64 bytes apart cost up to a fifth more.
__global__ void wide(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[16 * i] + in[16 * i + 2] + in[16 * i + 4] + in[16 * i + 6] + in[16 * i + 8] + in[16 * i + 10] +
//         ^^^^^^^^^^ stride warning
           in[16 * i + 12] + in[16 * i + 14] + in[16 * i + 1] + in[16 * i + 3] + in[16 * i + 5] + in[16 * i + 7];
//         ^^^^^^^^^^^^^^^ stride hint
}
