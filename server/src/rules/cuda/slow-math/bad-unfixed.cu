// Powers whose base is not to be written twice, nor to be computed in front of the statement.
#define SQUARE(v) powf(v, 2.0f)
#define FOURTH_ROOT(v) sqrtf(sqrtf(v))
__device__ float noise(float v) { return sinf(v * 12.9898f); }
__device__ float draw(int *state) { return (*state = *state * 1103515245 + 12345) * 1e-9f; }

__global__ void once(const float *x, float *y, int n, int *states) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = SQUARE(x[i]);
//       ^^^^^^^^^^^^ power
  // The text of both roots is that of the macro.
  y[i] += 1.0f / FOURTH_ROOT(x[i]);
//        ^^^^^^^^^^^^^^^^^^^^^^^^ root hint
  // It draws a number.
  y[i] += powf(draw(states + i), 2.0f);
//        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  // It is not always computed.
  y[i] += x[i] > 0 ? powf(noise(x[i]), 2.0f) : 0;
//                   ^^^^^^^^^^^^^^^^^^^^^^^ power
  const bool both = x[i] > 0 && powf(noise(x[i]), 2.0f) > 1;
//                              ^^^^^^^^^^^^^^^^^^^^^^^ power
  // It is computed anew.
  while (powf(noise(y[i]), 2.0f) > 1) y[i] *= 0.5f;
//       ^^^^^^^^^^^^^^^^^^^^^^^ power
  // What stands beside it changes what it reads.
  float first = (y[i] = 1), second = powf(noise(y[i]), 2.0f);
//                                   ^^^^^^^^^^^^^^^^^^^^^^^ power
  y[i] = draw(states + i) + powf(noise(y[i] + *states), 2.0f) + first * second * both;
//                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ power
  switch (i % 3) {
    case 0:
      y[i] += powf(noise(x[i]), 2.0f);
//            ^^^^^^^^^^^^^^^^^^^^^^^ power
      break;
    case 1:
      y[i] += 1;
  }
}

void run(const float *x, float *y, int n, int *states) { once<<<(n + 255) / 256, 256>>>(x, y, n, states); }
