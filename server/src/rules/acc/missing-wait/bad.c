// Results of a queue that MPI, the host, another queue and the end of the data meet too early.
int MPI_Send(const void *, int, int, int, int, int);

void halo(double *a, double *buffer, int n) {
  #pragma acc data present(a[0:n], buffer[0:n])
  {
    #pragma acc parallel loop async(1)
    for (int i = 0; i < n; i++) buffer[i] = a[i];
    #pragma acc host_data use_device(buffer)
    {
      MPI_Send(buffer, n, 0, 1, 0, 0);
//             ^^^^^^ unwaited error
    }
  }
}

double queues(int n) {
  static double a[1000], b[1000];
  double sum = 0.0;
  #pragma acc enter data copyin(a, b)
  #pragma acc parallel loop async(1)
  for (int i = 0; i < n; i++) a[i] = 2.0 * i;
  #pragma acc parallel loop async(2)
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unwaited error
  for (int i = 0; i < n; i++) b[i] = a[i];
  #pragma acc update self(b)
//^^^^^^^^^^^^^^^^^^^^^^^^^^ unwaited error
  #pragma acc parallel loop reduction(+:sum) async(3)
  for (int i = 0; i < n; i++) sum += b[i];
  sum = sum / n;
//      ^^^ unwaited error
  #pragma acc exit data delete(a, b)
  return sum;
}
