// The kernels form: the length goes to the loop itself, with a directive of its own where there is none.
struct Stencil { unsigned rows; unsigned *begin; unsigned *index; double *weight; };

void gather(const Stencil &s, unsigned width) {
  unsigned at = 0;
  for (unsigned i = 0; i < s.rows; i++) {
    s.begin[i] = at;
    for (int k = 0; k < 19; k++) {
      if (i + k * width < s.rows) {
        s.index[at] = i + k * width;
        s.weight[at] = 1.0 / (k + 1);
        at = at + 1;
      }
    }
  }
  s.begin[s.rows] = at;
}

void apply(const Stencil &s, const double *__restrict in, double *__restrict out) {
  const unsigned rows = s.rows;
  const unsigned *__restrict begin = s.begin;
  const unsigned *__restrict index = s.index;
  const double *__restrict weight = s.weight;
  #pragma acc kernels present(begin, index, weight, in, out)
  {
    for (unsigned i = 0; i < rows; i++) {
      double total = 0.0;
      #pragma acc loop vector(32)
      for (unsigned k = begin[i]; k < begin[i + 1]; k++) {
        total += weight[k] * in[index[k]];
      }
      out[i] = total;
    }
  }
}

void applyDirected(const Stencil &s, const double *__restrict in, double *__restrict out) {
  const unsigned rows = s.rows;
  const unsigned *__restrict begin = s.begin;
  const unsigned *__restrict index = s.index;
  const double *__restrict weight = s.weight;
  #pragma acc kernels loop independent gang present(begin, index, weight, in, out)
  for (unsigned i = 0; i < rows; i++) {
    double total = 0.0;
    #pragma acc loop independent vector(32) reduction(+:total)
    for (unsigned k = begin[i]; k < begin[i + 1]; k++) {
      total += weight[k] * in[index[k]];
    }
    out[i] = total;
  }
}
