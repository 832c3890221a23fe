// The last threads of the block leave before the barrier.
__global__ void padBlock(const float *in, float *out) {
  __shared__ float row[96];
  const int t = threadIdx.x;
  if (t >= 96) return;
  row[t] = in[blockIdx.x * 96 + t];
  __syncthreads();
//^^^^^^^^^^^^^^^ after-return information
  out[blockIdx.x * 96 + t] = row[95 - t];
}

void launch(const float *in, float *out) { padBlock<<<32, 128>>>(in, out); }
