// One warp a gang: vectors of 32 lanes and no workers, in a construct that loops and in one with a loop inside.
void sums(int n, const int *restrict begin, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop gang worker num_workers(4) vector_length(32) present(begin, v, out)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
    out[i] = sum;
  }
}

void products(int n, const int *restrict begin, const double *restrict v, double *restrict out) {
  double product;
  int from, to;
  #pragma acc parallel vector_length(32) present(begin, v, out) num_workers(4)
  {
    #pragma acc loop gang private(product, from, to) worker
    for (int i = 0; i < n; i++) {
      product = 1.0;
      from = begin[i];
      to = begin[i + 1];
      #pragma acc loop reduction(*:product) vector
      for (int k = from; k < to; k++) product *= v[k];
      out[i] = product;
    }
  }
}
