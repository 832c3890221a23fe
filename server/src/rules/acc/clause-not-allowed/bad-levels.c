// Levels inside of themselves or of finer ones, in loops, routines and calls; variables in two clauses.
#pragma acc routine vector
void smooth(int n, float *a) {
  #pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] *= 0.5f;
}

#pragma acc routine seq
void every(int n, float *a) {
  smooth(n, a);
//^^^^^^ level-nested error
}

#pragma acc routine vector
void rows(int n, float *a) {
  #pragma acc loop gang
//                 ^^^^ level-nested
  for (int i = 0; i < n; i++) a[i] *= 0.5f;
}

void nests(int n, float *restrict a, float *restrict b) {
  #pragma acc parallel loop gang vector copy(a[0:n * n])
  for (int i = 0; i < n; i++) {
    #pragma acc loop vector
//                   ^^^^^^ level-nested error
    for (int j = 0; j < n; j++) a[i * n + j] += 1;
  }
  #pragma acc parallel loop vector copy(a[0:n * n])
  for (int i = 0; i < n; i++) {
    #pragma acc loop seq
    for (int j = 0; j < n; j++) {
      smooth(n, &a[i * n]);
//    ^^^^^^ level-nested
    }
  }
  #pragma acc parallel loop gang vector copy(a[0:n]) copyin(a[0:n])
//                                                          ^^^^^^ item-repeated error
  for (int i = 0; i < n; i++) a[i] += 1;
  #pragma acc parallel loop gang vector copyin(a[0:n], a[0:n]) copyout(b[0:n])
//                                                     ^^^^^^ item-repeated warning
  for (int i = 0; i < n; i++) b[i] = a[i];
}
