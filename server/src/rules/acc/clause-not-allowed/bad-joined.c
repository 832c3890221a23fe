// A backslash in front of the next directive joins it.
void send(int n, float *a) {
#pragma acc data create(a[0:n]) \
    #pragma acc parallel loop present(a[0:n])
//  ^^^^^^^ begins
  for (int i = 0; i < n; i++) a[i] = 1;
#pragma acc data create(a[0:n]) \
    kernels present(a[0:n])
//  ^^^^^^^ begins
  { a[0] = 1; }
}
