// File-scope variables in routines for the GPU, of which one is declared.
static const int levels = 4;
double weight, other;
double offset;
#pragma acc declare create(offset)

#pragma acc routine seq
double scaled(double x) {
    return x * weight + offset + levels;
    //         ^^^^^^ undeclared warning
}

void run(int n, double *a) {
    double part[2] = {1, 2};
#pragma acc parallel loop copy(a[0:n]) private(part)
    //                                         ^^^^ unset warning
    for (int i = 0; i < n; i++) a[i] = scaled(a[i]) + part[1];
    other = a[0];
}
