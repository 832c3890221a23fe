// A backslash in front of the next directive joins it.
void send(int n, float *a) {
#pragma acc data create(a[0:n]) \
    #pragma acc update device(a[0:n])
//  ^^^^^^^ begins
  { a[0] = 1; }
#pragma acc data create(a[0:n]) \
    update device(a[0:n])
//  ^^^^^^ begins
  { a[0] = 1; }
}
