// Workers in every form, longer vectors, gangs with enough to do, and few gangs.
void workers(int n, const int *restrict begin, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop gang worker num_workers(4) vector_length(32) present(begin, v, out)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
    out[i] = sum;
  }
  #pragma acc parallel loop gang vector_length(32) present(begin, v, out)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    #pragma acc loop worker vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
    out[i] = sum;
  }
  #pragma acc parallel loop gang present(begin, v, out)
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = begin[i]; k < begin[i + 1]; k++) sum += v[k];
    out[i] = sum;
  }
  #pragma acc parallel loop gang vector vector_length(32) present(v, out)
  for (int i = 0; i < 4096; i++) out[i] = v[i];
}

// 64 gangs: more workers would leave multiprocessors without any.
void few(int n, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop gang vector_length(32) present(v, out)
  for (int i = 0; i < 64; i++) {
    double sum = 0.0;
    #pragma acc loop vector reduction(+:sum)
    for (int k = 0; k < n; k++) sum += v[i * n + k];
    out[i] = sum;
  }
}

// Each gang has an array of its own, which workers would share.
void own(int n, const double *restrict v, double *restrict out) {
  double part[32];
  #pragma acc parallel loop gang vector_length(32) private(part) present(v, out)
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
    for (int k = 0; k < 32; k++) part[k] = v[32 * i + k];
    out[i] = part[0] + part[31];
  }
}

// A loop around the vector loop: a gang walks many rows.
void planes(int n, int m, const double *restrict v, double *restrict out) {
  #pragma acc parallel loop gang vector_length(32) present(v, out)
  for (int i = 0; i < n; i++) {
    for (int step = 0; step < m; step++) {
      #pragma acc loop vector
      for (int k = 0; k < 27; k++) out[i * 27 + k] += v[step * 27 + k];
    }
  }
}

// Calls may change what a global variable was given: the compiler takes its usual length.
int width;
void setup(void);
void fill(int n, double *restrict q) {
  width = 10;
  setup();
  #pragma acc kernels loop gang independent present(q)
  for (int k = 0; k < n; k++) {
    #pragma acc loop vector independent
    for (int i = 0; i < width; i++) q[k * width + i] = 0.0;
  }
}
