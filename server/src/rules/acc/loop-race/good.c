// The nearest loops without a race.

void rows(int n, int m, const float *restrict a, float *restrict s) {
  #pragma acc parallel loop copyin(a[0:n * m]) copy(s[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s[i] += a[i * m + j];
  #pragma acc parallel loop collapse(2) copyin(a[0:n * m]) copy(s[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      #pragma acc atomic
      s[i] += a[i * m + j];
    }
}

// A list of places serves what lies at them; a colour's part of a list has each place once.
void lists(int n, const int *restrict list, const int *restrict begin, float *restrict a, const float *restrict b) {
  #pragma acc parallel loop present(list, a, b)
  for (int i = 0; i < n; i++) a[list[i]] += b[list[i]];
  for (int color = 0; color < 4; color++) {
    #pragma acc parallel loop present(list, a, b)
    for (int i = begin[color]; i < begin[color + 1]; i++) a[list[i]] += b[i];
  }
}

void scratch(int n, float *restrict a) {
  float tmp[16], same[16];
  #pragma acc parallel loop gang vector private(tmp) copy(a[0:n]) create(same)
  for (int i = 0; i < n; i++) {
    float own[2];
    for (int j = 0; j < 16; j++) tmp[j] = a[i] * j;
    for (int j = 0; j < 16; j++) same[j] = j;
    own[0] = a[i];
    own[1] = tmp[3] + same[2];
    a[i] = own[0] + own[1];
  }
}

// Red and black; the half above; the other row; in the compiler's hands; one after the other.
void distances(int n, int m, float *restrict a, float *restrict b) {
  #pragma acc parallel loop copy(a[0:n])
  for (int i = 1; i < n - 1; i += 2) a[i] = (a[i - 1] + a[i + 1]) / 2;
  #pragma acc parallel loop copy(a[0:128])
  for (int i = 0; i < 64; i++) a[i] += a[i + 64];
  #pragma acc parallel loop copy(a[0:n * m])
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) a[i * m + j] += a[i * m + j - 1];
  #pragma acc kernels copy(a[0:n])
  for (int i = 1; i < n; i++) a[i] = a[i - 1];
  #pragma acc parallel loop copy(a[0:n], b[0:n])
  for (int i = 1; i < n; i++) {
    if (i > n - 2) a[i] = a[i - 1];
    b[i] = b[0] + a[0];
  }
  #pragma acc parallel loop seq copy(a[0:n])
  for (int i = 1; i < n; i++) a[i] = a[i - 1];
}

int count(int n, const float *restrict a) {
  int found = 0, kept = 0;
  #pragma acc parallel loop copyin(a[0:n]) copy(found)
  for (int i = 0; i < n; i++) {
    #pragma acc atomic update
    found += a[i] > 0;
  }
  #pragma acc data copy(kept)
  {
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++) {
      #pragma acc atomic update
      kept += a[i] > 0;
    }
  }
  return found + kept;
}
