// What the clauses are for.
void types(int n, double *a, int lanes, int *queues) {
  double sum = 0, table[10] = {0};
  unsigned bits = 0;
#pragma acc parallel loop copy(a[0:n], table[:], sum) num_gangs(lanes) reduction(^: bits) async(queues[1])
  for (int i = 0; i < n; i++) {
    a[i] = table[0] + sum;
    bits ^= i;
  }
#pragma acc wait(queues[1])
#pragma acc enter data copyin(a[0:n])
#pragma acc enter data attach(a)
#pragma acc parallel loop present(a[0:n]) private(lanes) if(sum)
  for (int i = 0; i < n; i++) {
    lanes = i;
    a[i] = lanes;
  }
#pragma acc exit data detach(a)
#pragma acc exit data copyout(a[0:n])
}
