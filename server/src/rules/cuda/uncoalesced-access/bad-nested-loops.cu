// Loops within loops whose counts depend on the block: sample values may enter none of them.
__global__ void expand(int *out, const int *in, int batches, int total) {
  int begin = blockIdx.x * blockDim.x * batches;
  for (int left = min(batches, (total - begin + 255) / 256); left > 0; left -= 31) {
    int batch = min(left, 31), done = 0;
    while (done < batch) {
      int count = batch - done;
      for (int i = 0; i < count; i++) out[begin + threadIdx.x * 32 + i] = in[begin + i];
//                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ row-per-thread warning
      done = batch;
    }
  }
}

void run(int *out, const int *in, int n) { expand<<<1000, 256>>>(out, in, n, n); }
