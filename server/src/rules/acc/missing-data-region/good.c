// Data that are kept on the GPU, data that the host works on in the loop, and another block on each iteration.
#include <stdio.h>
#include <stdlib.h>
#define SIZE 4096

static double table[SIZE];

static void doubled(int n, double *restrict a) {
  #pragma acc parallel loop present(a)
  for (int i = 0; i < n; i++) a[i] *= 2.0;
}

void inRegion(int n, double *restrict a) {
  #pragma acc data copy(a[0:n])
  for (int turn = 0; turn < 100; turn++) {
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) a[i] += 1.0;
    doubled(n, a);
  }
}

void entered(int n) {
  double *a = (double *)malloc(n * sizeof(double));
  #pragma acc enter data create(a[0:n])
  for (int turn = 0; turn < 100; turn++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = turn;
  }
  #pragma acc exit data delete(a[0:n])
  free(a);
}

void looked(int n, double *restrict a) {
  for (int turn = 0; turn < 100; turn++) {
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) a[i] += 1.0;
    printf("%f\n", a[turn]);
  }
}

void blocks(int n, int block, double *restrict a) {
  for (int first = 0; first < n; first += block) {
    #pragma acc parallel loop copy(a[first:block])
    for (int i = first; i < first + block; i++) a[i] += 1.0;
  }
}

// Whoever calls it may keep the array on the GPU: no clause says that it is copied here.
void unknown(int n, double *restrict a) {
  for (int turn = 0; turn < 100; turn++) {
    #pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] += 1.0;
  }
}

void once(void) {
  #pragma acc parallel loop
  for (int i = 0; i < SIZE; i++) table[i] = i;
}

// Each device has its own copy, and two iterations are a warm-up.
extern void acc_set_device_num(int, int);
void devices(int count, int n, double *restrict a) {
  for (int device = 0; device < count; device++) {
    acc_set_device_num(device, 4);
    #pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; i++) a[i] = i;
  }
  for (int turn = 0; turn < 2; turn++) {
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) a[i] += i;
  }
}
