// One queue, a wait for each, chains of queues, parts of an array, and calls that may wait.
#include <stdio.h>
void ready(int queue);
int MPI_Send(const void *, int, int, int, int, int);

void ordered(int n, int steps, double *a, double *b) {
  #pragma acc data copy(a[0:n], b[0:n])
  {
    for (int step = 0; step < steps; step++) {
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) a[i] += b[i];
      #pragma acc parallel loop async(1)
      for (int i = 0; i < n; i++) b[i] += a[i];
      #pragma acc update self(a[0:1]) async(1)
      #pragma acc wait(1)
      printf("%f\n", a[0]);
    }
    #pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++) a[i] += 1.0;
    #pragma acc parallel loop wait(1) async(2)
    for (int i = 0; i < n; i++) b[i] += a[i];
    #pragma acc wait(2)
  }
}

void parts(int n, double *a) {
  #pragma acc data present(a[0:2 * n])
  {
    #pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++) a[i] += 1.0;
    #pragma acc parallel loop async(2)
    for (int i = n; i < 2 * n; i++) a[i] += 1.0;
    ready(1);
    ready(2);
    #pragma acc host_data use_device(a)
    MPI_Send(a, n, 0, 1, 0, 0);
  }
}

void blocks(int count, int size, float *a) {
  #pragma acc data create(a[0:count * size])
  {
    for (int block = 0; block < count; block++) {
      #pragma acc update device(a[block * size : size]) async(block % 2)
      #pragma acc parallel loop async(block % 2)
      for (int i = 0; i < size; i++) a[block * size + i] += 1.0f;
      #pragma acc update self(a[block * size : size]) async(block % 2)
    }
    #pragma acc wait
  }
}

double perhaps(int n, int fast, const double *a) {
  double sum = 0.0;
  #pragma acc parallel loop copyin(a[0:n]) reduction(+:sum) if(fast) async
  for (int i = 0; i < n; i++) sum += a[i];
  #pragma acc wait
  return sum;
}

// Rows of two queues: the row's number is another one by then.
void rows(double *restrict a, int n) {
  int k = 0;
#pragma acc parallel loop async(1) present(a)
  for (int j = 0; j < n; j++) a[k * n + j] = 1;
  k = 5;
#pragma acc parallel loop async(2) present(a)
  for (int j = 0; j < n; j++) a[k * n + j] = 2;
#pragma acc wait
}
