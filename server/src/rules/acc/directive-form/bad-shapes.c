// Directives that govern or hold what they cannot.
void shapes(int n, float *a) {
  float total = 0;
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) break;
//                ^^^^^^ branch error
    a[i] *= 2;
  }
#pragma acc parallel copy(a[0:n])
  {
    if (n > 3) return;
//             ^^^^^^^ branch error
#pragma acc update self(a[0:n])
//          ^^^^^^ misplaced error
    a[0] = 1;
#pragma acc atomic update
    a[0] = total * 2;
//  ^^^^^^^^^^^^^^^^^ form error
#pragma acc atomic write
    a[1] += 1;
//  ^^^^^^^^^^ form error
  }
#pragma acc parallel loop collapse(2) copy(a[0:n])
//                        ^^^^^^^^ form error
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma acc parallel loop collapse(2) copy(a[0:n])
//                        ^^^^^^^^ form error
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) a[j] = 0;
#pragma acc parallel loop copy(a[0:n])
//          ^^^^^^^^^^^^^ form error
  for (int i = 1; i < n; i *= 2) a[i] = 0;
#pragma acc loop
//          ^^^^ orphan warning
  for (int i = 0; i < n; i++) a[i] = 0;
  if (n > 2)
#pragma acc wait
//          ^^^^ misplaced error
    ;
}
