// Nothing can stand beside a loop that another governs without braces: no edit is offered.
void run(int n, int rounds, int steps, double *restrict field) {
  #pragma acc data copy(field[0:n])
  for (int round = 0; round < rounds; round++)
    for (int step = 0; step < steps; step++) {
      #pragma acc parallel loop
      for (int i = 0; i < n; i++) field[i] *= 0.5;
      #pragma acc update self(field[0:n])
//                            ^^^^^^^^^^ to-host
    }
}
