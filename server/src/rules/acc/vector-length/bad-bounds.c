// Bounds that stand in the text: a comment, the extent of an array, min, the end of a block.
#define N 4096
static float weights[60];

void smooth(int n, int taps, const float *restrict in, float *restrict out) {
  #pragma acc parallel loop gang copyin(in[0:n + 64], weights) copyout(out[0:n])
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    #pragma acc loop vector reduction(+:sum)
    for (int t = 0; t < taps; t++) sum += weights[t] * in[i + t];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    out[i] = sum;
  }
}

void rows(int n, const int *restrict begin, const double *restrict v, double *restrict sums) {
  #pragma acc parallel loop gang num_workers(8) worker present(begin, v, sums)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    // warplens: trip <= 12
    #pragma acc loop vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    sums[i] = sum;
  }
}

void blocks(int n, const double *restrict a, double *restrict b) {
  #pragma acc parallel loop gang num_workers(4) worker copyin(a[0:n]) copyout(b[0:n / 24 + 1])
  for (int block = 0; block < n / 24 + 1; block++) {
    double sum = 0.0;
    int end = block * 24 + 24 < n ? block * 24 + 24 : n;
    #pragma acc loop vector reduction(+:sum)
    for (int i = block * 24; i < end; i++) sum += a[i];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    b[block] = sum;
  }
}
