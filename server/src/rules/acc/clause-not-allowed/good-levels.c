// Each level once, from the outside in; several dimensions of gangs; parts of one array.
#pragma acc routine vector
void smooth(int n, float *a) {
  #pragma acc loop vector
  for (int i = 0; i < n; i++) a[i] *= 0.5f;
}

void nests(int n, float *restrict a) {
  #pragma acc parallel loop gang copy(a[0:n * n])
  for (int i = 0; i < n; i++) {
    #pragma acc loop worker
    for (int j = 0; j < n; j++) smooth(n, &a[j * n]);
  }
  #pragma acc parallel loop gang(dim:2) copy(a[0:n * n])
  for (int i = 0; i < n; i++) {
    #pragma acc loop gang(dim:1) vector
    for (int j = 0; j < n; j++) a[i * n + j] += 1;
  }
  #pragma acc enter data copyin(a[0:2], a[4:2])
  #pragma acc parallel loop gang vector copy(a[0:n]) async
  for (int i = 0; i < n; i++) a[i] += 1;
  #pragma acc wait
}
