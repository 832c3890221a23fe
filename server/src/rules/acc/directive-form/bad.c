// Cut short.
void scale(double *a, int n) {
  #pragma acc
//^^^^^^^^^^^ nothing error
#pragma acc data
//          ^^^^ clause-missing warning
  {
#pragma acc parallel loop copy(a[0:n] vector_length(128)
//                            ^ open error
    for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma acc parallel loop copy(a[0:n])) gang ;
//                                    ^ stray
//                                           ^ stray
    for (int i = 0; i < n; ++i) a[i] *= 3;
  }
#pragma acc update if(n > 0)
//          ^^^^^^ clause-missing
// Clauses that may not stand there are told for themselves; that none else does is the same mistake.
#pragma acc data update device(a[0:n])
  a[0] = 0;
}
