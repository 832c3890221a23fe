// How many lanes come to a conflict, and how often, is a matter of the data.
struct Flags {
  unsigned words[8];
};
__global__ void collide(const unsigned *voxels, Flags *found, int n) {
  __shared__ Flags cache[256];
  cache[threadIdx.x].words[0] = 0;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride hint
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (voxels[i] & 1) cache[threadIdx.x].words[0] |= voxels[i];
//                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ stride hint
  if (threadIdx.x == 0) found[blockIdx.x] = cache[0];
}

void run(const unsigned *voxels, Flags *found, int n) { collide<<<1056, 256>>>(voxels, found, n); }
