// Items that are not what their clause is for.
void types(int n, double *a, double share) {
  double sum = 0, table[10];
  const int three = 3;
#pragma acc parallel loop copy(a[0:]) copyin(sum[0:3]) num_gangs(share) num_workers(2.5)
//                             ^^^^^ malformed error
//                                           ^^^^^^^^ malformed error
//                                                               ^^^^^ malformed error
//                                                                                  ^^^ malformed error
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma acc parallel loop copy(a[0:n], table[0:-1]) reduction(^: sum) async(1.5)
//                                     ^^^^^^^^^^^ malformed error
//                                                               ^^^ malformed error
//                                                                          ^^^ malformed error
  for (int i = 0; i < n; i++) sum += a[i] + table[0];
#pragma acc parallel loop copy(a[0:n]) private(three)
//                                             ^^^^^ malformed error
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma acc enter data attach(sum)
//                            ^^^ malformed error
}
