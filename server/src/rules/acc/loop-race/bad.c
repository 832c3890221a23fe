// Arrays that the iterations of parallel loops share, one kind of race a function.

// Each row's sum is one element for all lanes.
void rows(int n, int m, const float *restrict a, float *restrict s) {
  #pragma acc parallel loop collapse(2) copyin(a[0:n * m]) copy(s[0:n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      s[i] += a[i * m + j];
//    ^^^^ element error
    }
}

void histogram(int n, const int *restrict key, int *restrict count) {
  #pragma acc parallel loop copyin(key[0:n]) copy(count[0:256])
  for (int i = 0; i < n; i++) {
    count[key[i]]++;
//  ^^^^^^^^^^^^^ scattered warning
  }
}

void scratch(int n, float *restrict a) {
  float tmp[16];
  #pragma acc parallel loop gang vector copy(a[0:n])
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 16; j++) tmp[j] = a[i] * j;
//                               ^^^^^^ private error
    float sum = 0;
    for (int j = 0; j < 16; j++) sum += tmp[j];
    a[i] = sum;
  }
}

int any(int n, const float *restrict a) {
  int found = 0;
  #pragma acc parallel loop copyin(a[0:n])
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      #pragma acc atomic write
      found = 1;
//    ^^^^^ lost error
    }
  }
  return found;
}
