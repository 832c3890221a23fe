// Reductions that are named, atomic updates, scalars of one iteration, sequential loops, and kernels regions.
double named(int n, const double *restrict a) {
  double total = 0.0;
  #pragma acc parallel loop reduction(+:total) copyin(a[0:n])
  for (int i = 0; i < n; i++) total += a[i];
  return total;
}

double onConstruct(int n, const double *restrict a) {
  double total = 0.0;
  #pragma acc parallel reduction(+:total) copyin(a[0:n])
  {
    #pragma acc loop gang
    for (int i = 0; i < n; i++) total += a[i];
  }
  return total;
}

void ofOneTurn(int n, int m, const double *restrict a, double *restrict out) {
  double sum;
  #pragma acc parallel loop copyin(a[0:n * m]) copyout(out[0:n])
  for (int i = 0; i < n; i++) {
    sum = 0.0;
    for (int j = 0; j < m; j++) sum += a[i * m + j];
    out[i] = sum;
  }
}

double inKernels(int n, const double *restrict a) {
  double total = 0.0;
  #pragma acc kernels copyin(a[0:n])
  for (int i = 0; i < n; i++) total += a[i];
  return total;
}

double inOrder(int n, const double *restrict a) {
  double total = 0.0;
  #pragma acc serial loop copyin(a[0:n])
  for (int i = 0; i < n; i++) total += a[i];
  #pragma acc parallel copyin(a[0:n]) copy(total) num_gangs(1)
  {
    #pragma acc loop seq
    for (int i = 0; i < n; i++) total += a[i];
  }
  return total;
}

// What it is counts on the order of the iterations: no reduction, and another matter.
int filled(int n, const int *restrict a, int *restrict out) {
  int count = 0;
  #pragma acc parallel loop copyin(a[0:n]) copy(out[0:n])
  for (int i = 0; i < n; i++) if (a[i] > 0) out[count++] = i;
  return count;
}

// Each gang counts its own share.
void shares(int n, const int *restrict a, int *restrict counted) {
  #pragma acc parallel copyin(a[0:n]) copy(counted[0:1])
  {
    int own = 0;
    #pragma acc loop gang
    for (int i = 0; i < n; i++) if (a[i] > 0) own++;
    #pragma acc atomic update
    counted[0] += own;
  }
}
