// A distance that a loop computes has no name: it may be anything, one included.
__global__ void spread(double *pool, const double *in, const int *shape, int n) {
  int t = threadIdx.x;
  int apart = 1;
  for (int l = 0; l < shape[0]; l++) apart = apart * 2 + l;
  double *mine = pool + blockIdx.x * n;
  for (int k = t; k < n; k += 32) mine[t * apart + k] = in[k];
//                                ^^^^^^^^^^^^^^^^^^^ chunk-per-thread warning
}
