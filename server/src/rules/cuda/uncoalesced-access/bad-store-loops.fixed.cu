// A loop that leaves four neighbouring elements of each thread.
__global__ void spread(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own = in[i];
  alignas(16) float parts[4];
  for (int c = 0; c < 4; c++) {
    int to = 4 * i + c;
    parts[c] = own * c;
  }
  float *const first = &out[(4 * i + 0)];
  if (reinterpret_cast<size_t>(first) % 16 == 0) {
    for (int part = 0; part < 4; part += 4)
      *reinterpret_cast<uint4 *>(first + part) = *reinterpret_cast<const uint4 *>(parts + part);
  } else {
    for (int part = 0; part < 4; part++) first[part] = parts[part];
  }
}

void run(const float *in, float *out, int n) { spread<<<(n + 255) / 256, 256>>>(in, out, n); }
