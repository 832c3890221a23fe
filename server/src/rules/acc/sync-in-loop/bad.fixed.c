// A queue that is emptied on each iteration.
void run(int n, int steps, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n], b[0:n])
  {
    for (int step = 0; step < steps; step++) {
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) a[i] += 0.5 * b[i];
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) b[i] -= 0.5 * a[i];
    }
    #pragma acc wait(1)
  }
}

// Two regions that have nothing to do with one another.
void sides(int n, int steps, double *restrict left, double *restrict right, const double *restrict source) {
  #pragma acc data copy(left[0:n], right[0:n]) copyin(source[0:n])
  {
    for (int step = 0; step < steps; step++) {
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) left[i] += source[i];
      #pragma acc parallel loop async(2)
      for (int i = 0; i < n; i++) right[i] -= source[i];
      #pragma acc wait
    }
  }
}

// A chain of regions: nothing but the queue has to keep their order.
void chained(int n, int steps, double *restrict a, double *restrict b) {
  #pragma acc data copy(a[0:n], b[0:n])
  {
    for (int step = 0; step < steps; step++) {
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) a[i] += b[i];
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) b[i] += a[i];
    }
    #pragma acc wait(1)
  }
}
