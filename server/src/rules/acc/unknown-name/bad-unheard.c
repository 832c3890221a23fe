// Words that are near to nothing: perhaps some compiler has them.
void scale(double *a, int n) {
#pragma acc offload
//          ^^^^^^^ directive
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copy(a[0:n]) swizzle(4)
//                                     ^^^^^^^ clause warning
  for (int i = 0; i < n; ++i) a[i] *= 3;
}
