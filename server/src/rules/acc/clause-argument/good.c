// Every form of argument as it should be.
void scale(double *a, const double *b, int n, int q) {
  double sum = 0, most = 0;
#pragma acc enter data copyin(b[0:n]) create(a[0:n]) async(q + 1) wait(devnum: 0 : queues: 1, 2)
#pragma acc parallel loop present(a, b) num_gangs(n / 128 + 1) num_workers(1) vector_length(128) if(n > 1000) async(q + 1) default(none) reduction(+: sum) reduction(max: most) firstprivate(n)
  for (int i = 0; i < n; ++i) { a[i] = b[i]; sum += b[i]; most = b[i] > most ? b[i] : most; }
#pragma acc kernels loop gang(num: 64, static: *) vector(length: 128) tile(32, *) copyin(readonly: b[0:n]) self
  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) a[i] = b[i] + j;
#pragma acc wait(1, 2) async
#pragma acc exit data copyout(a[0:n]) delete(b[0:n])
}
