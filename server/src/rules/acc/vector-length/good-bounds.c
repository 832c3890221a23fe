// Arrays whose extent bounds no loop: elements are left out, or the array is walked as one of another shape.
double weights[27], table[100][27], sums[4096];

void guarded(int n, int m, const double *limits, const int *counts) {
  #pragma acc parallel loop gang vector_length(128)
  for (int j = 0; j < m; j++) {
    #pragma acc loop vector
    for (int i = 0; i < n; i++) {
      if (limits[i] < 0.0) continue;
      sums[j + i] = weights[i];
    }
  }
  #pragma acc parallel loop gang vector_length(128)
  for (int j = 0; j < m; j++) {
    #pragma acc loop vector
    for (int i = 0; i < n; i++) sums[j + i] = i < 27 ? weights[i] : 0.0;
  }
  #pragma acc parallel loop gang vector_length(128)
  for (int j = 0; j < m; j++) {
    #pragma acc loop vector
    for (int i = 0; i < n; i++) { if (i < 27 && weights[i] > 0.0) sums[j + i] = 1.0; }
  }
  #pragma acc parallel loop gang vector_length(128)
  for (int j = 0; j < m; j++) {
    #pragma acc loop vector
    for (int i = 0; i < n; i++) { for (int k = 0; k < counts[i]; k++) sums[j + i] += weights[i]; }
  }
  #pragma acc parallel loop gang vector_length(128)
  for (int j = 0; j < m; j++) {
    #pragma acc loop vector
    for (int i = 0; i < 27 * n; i++) sums[j + i] = (&table[0][0])[i];
  }
}
