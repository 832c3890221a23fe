// What the clause should say is not known here.
void scale(double *a, double *b, int n) {
  double sum = 0;
#pragma acc parallel loop copy(a[0:n],) num_gangs vector_length(0)
//                            ^^^^^^^^^ malformed
//                                      ^^^^^^^^^ missing
//                                                              ^ malformed
  for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copyin(zero: a[0:n]) reduction(plus: sum) private(3 * n)
//                               ^^^^ modifier
//                                                       ^^^^^^^^^ malformed
//                                                                          ^^^^^ malformed
  for (int i = 0; i < n; ++i) sum += a[i];
#pragma acc parallel loop copy(b[0:n]) reduction(sum) gang(32)
//                                               ^^^ malformed
//                                                         ^^ not-allowed warning
  for (int i = 0; i < n; ++i) b[i] += sum;
#pragma acc enter data copyin(capture: a[0:n])
//                            ^^^^^^^ modifier
#pragma acc exit data copyout(zero, capture: a[0:n])
//                                  ^^^^^^^ modifier
}
