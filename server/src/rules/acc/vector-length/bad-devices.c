// A file that serves several devices: the length is for NVIDIA's alone, the others keep theirs.
void sums(int n, const int *restrict begin, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop gang worker num_workers(8) present(begin, v, out) device_type(radeon) vector_length(64)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    // warplens: trip <= 9
    #pragma acc loop vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ idle-lanes
    out[i] = sum;
  }
}

void products(int n, const int *restrict begin, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop present(begin, v, out) device_type(nvidia) gang worker num_workers(4) vector_length(256) device_type(*) gang
//                                                                                                              ^^^ idle-lanes
  for (int i = 0; i < n; i++) {
    double product = 1.0;
    // warplens: trip <= 40
    #pragma acc loop vector reduction(*:product)
    for (int k = begin[i]; k < begin[i + 1]; k++) product *= v[k];
    out[i] = product;
  }
}
