// The construct has the size already.
void sizes(int n, float a[n]) {
#pragma acc kernels num_gangs(16) copy(a[0:n])
  {
#pragma acc loop gang(32) vector(128)
//                    ^^ not-allowed warning
    for (int i = 0; i < n; i++) a[i] *= 2.0f;
  }
}
