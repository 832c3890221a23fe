// Guards as lane masks, loops run turn by turn, early returns, and what data decide.
__global__ void masks(const int *index, const float *in, float *out, int n, float limit) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (lane == 0) out[warp] = 0.0f;
//               ^^^^^^^^^ store 1/1
  if (lane < 8) out[i * 8] = 1.0f;
//              ^^^^^^^^^^ store 8/1
  for (int s = 16; s > 0; s /= 2)
    if (lane < s) out[i] += in[i + s];
//                ^^^^^^ load 1.2/1.2
//                ^^^^^^ store 1.2/1.2
//                          ^^^^^^^^^ load 1.2/1.2
  for (int k = lane; k < 96; k += 32) out[warp * 96 + k] = 2.0f;
//                                    ^^^^^^^^^^^^^^^^^^ store 4/4
  float value = in[index[i]];
//              ^^^^^^^^^^^^ load gather
//                 ^^^^^^^^ load 4/4
  if (value > limit) out[i + n] = value;
//                   ^^^^^^^^^^ store 4/4 assumed
  int start = index[warp];
//            ^^^^^^^^^^^ load 1/1
  for (int k = start; k < start + n; k++) value += in[k];
//                                                 ^^^^^ load 1/1
  while (value > limit) value *= in[i];
//                               ^^^^^ load 4/4 assumed
  out[(int)(value * 3.0f)] = value;
//^^^^^^^^^^^^^^^^^^^^^^^^ store gather
}

void run(const int *index, const float *in, float *out, int n) { masks<<<n / 128, 128>>>(index, in, out, n, 0.5f); }

// Data took lanes out of the loop before the number that ends it for all others.
__global__ void inserted(int *d, int step) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int j = t + step;
  for (; j >= step && d[j - step] > 5; j -= step) {
    //                ^^^^^^^^^^^ load 4/4
  }
  d[j] = 1;
//^^^^ store gather
}
void insert(int *d, int step) { inserted<<<200, 256>>>(d, step); }

// What both arms begin or end with is done by all lanes; what stands between is not.
__global__ void arms(float *to, const float *from, const float *more, const int *by) {
  const int i = threadIdx.x * 8;
  if (by[threadIdx.x] > 3) {
//    ^^^^^^^^^^^^^^^ load 4/4
    to[i] = from[i] * more[i + 1];
//          ^^^^^^^ load 32/4
//                    ^^^^^^^^^^^ load 32/4 assumed
  } else {
    to[i] = from[i] - 1;
//  ^^^^^ store 32/4
//          ^^^^^^^ load 32/4
  }
  if (by[threadIdx.x] > 5) {
//    ^^^^^^^^^^^^^^^ load 4/4
    to[i + 1] = more[i + 2] + from[i + 2];
//  ^^^^^^^^^ store 32/4 assumed
//              ^^^^^^^^^^^ load 32/4 assumed
//                            ^^^^^^^^^^^ load 32/4 assumed
    to[i + 2] = 0;
//  ^^^^^^^^^ store 32/4 assumed
  } else {
    to[i + 1] = from[i + 2];
//  ^^^^^^^^^ store 32/4 assumed
//              ^^^^^^^^^^^ load 32/4 assumed
  }
}
void run(float *to, const float *from, const float *more, const int *by) { arms<<<64, 256>>>(to, from, more, by); }
