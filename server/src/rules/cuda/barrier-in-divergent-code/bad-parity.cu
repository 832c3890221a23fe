// Half of the threads wait for the other half, which goes on to a barrier of its own.
__global__ void halves(const float *in, float *out) {
  __shared__ float staged[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 128) {
    staged[threadIdx.x] = in[i];
    __syncthreads();
//  ^^^^^^^^^^^^^^^ block-barrier error
    out[i] = staged[127 - threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x >= 128) out[i] = staged[threadIdx.x - 128];
}

void launch(const float *in, float *out) { halves<<<64, 256>>>(in, out); }
