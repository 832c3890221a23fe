// Names that exist, the old spellings among them, and macros, whose text is not known here.
#define EVERYTHING copy(a[0:n])
#define PARALLEL parallel

void scale(double *a, double *b, int n) {
#pragma acc data pcopyin(b[0:n]) present_or_create(a[0:n])
  {
#pragma acc parallel loop present(a, b) dtype(nvidia) vector_length(128)
    for (int i = 0; i < n; ++i) a[i] = 2 * b[i];
  }
#pragma acc PARALLEL loop EVERYTHING
  for (int i = 0; i < n; ++i) a[i] += 1;
#pragma acc parallel loop copy(a[0:n]) FROM_A_HEADER
  for (int i = 0; i < n; ++i) a[i] += 1;
}
