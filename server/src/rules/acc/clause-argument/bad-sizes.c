// Sizes of levels outside of kernels, and what is no pointer in `deviceptr`.
struct grid { double *cells; int n; };
#pragma acc routine gang
void clear(double *a, int n) {
#pragma acc loop gang(16)
//                    ^^ not-allowed warning
  for (int i = 0; i < n; ++i) a[i] = 0;
}
void scale(double *a, int n, double factor) {
  double row[16];
#pragma acc parallel loop gang vector(64) deviceptr(a, factor)
//                                    ^^ not-allowed warning
//                                                     ^^^^^^ malformed
  for (int i = 0; i < n; ++i) a[i] *= factor;
#pragma acc serial loop worker(2) deviceptr(row)
//                             ^ not-allowed warning
//                                          ^^^ malformed
  for (int i = 0; i < 16; ++i) row[i] = 0;
#pragma acc kernels loop gang(dim: 2)
//                                 ^ not-allowed warning
  for (int i = 0; i < n; ++i) a[i] = 0;
}
