// A run-time distance between the lanes: from no conflict to one word after the other.
__global__ void strided(float *out, int stride) {
  extern __shared__ float slots[];
  int t = threadIdx.x;
  slots[t * stride] = out[blockIdx.x * 256 + t];
//^^^^^^^^^^^^^^^^^ unknown-stride warning
  __syncthreads();
  out[blockIdx.x * 256 + t] = slots[t * stride] * 2.0f;
//                            ^^^^^^^^^^^^^^^^^ unknown-stride
}

void launch(float *out, int stride) { strided<<<16384, 256, 256 * sizeof(float) * stride>>>(out, stride); }
