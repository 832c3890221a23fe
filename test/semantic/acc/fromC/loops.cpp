// Loops, elements, members and directives of C++.
#define ROWS 8
struct csr { int n; double *vals; unsigned int *begin; };
#pragma acc routine seq
template <class T> static inline T twice(T x) { return x + x; }
typedef double real;
enum { few = 3, more };
int grid[few][more];

class Vector {
  double *data_;
  void fill(int n) {
    #pragma acc parallel loop
    for (int i = n - 1; i >= 0; i -= 2) this->data_[i] = grid[1][i] + more;
  }
};

void work(int n, double *__restrict__ a, real b[][4], const csr &A, csr *B, double (&fixed)[10]) {
  const unsigned int *begin = A.begin;
  #pragma acc enter data copyin(a[0:n])
  #pragma acc parallel loop gang \
      num_gangs(n)
  for (int i = 0; i < n; ++i) {
    a[i] = b[i][1];
    *(a + i + 1) += (*B).vals[i];
    double sum = 0, last;
    sum -= B->vals[begin[i]];
    for (unsigned j = begin[i]; j != begin[i + 1]; j++) sum = sum + A.vals[j], last = sum;
  }
  switch (n) {
    case 1:
      #pragma acc update host(a[0:n])
      n++;
      break;
    default: ;
  }
  #pragma acc atomic capture
  { fixed[0] = n; n += 1; }
  #pragma acc data copy(fixed)
  {
    #pragma acc kernels
    {
      #pragma acc loop independent
      for (size_t k = (size_t)n; k > 0; k = k - 3) fixed[k] = twice(k);
      #pragma acc cache(fixed[0:4])
    }
  }
  do { n = n < ROWS ? -n : (int)(0.5 * n); } while (n > 10);
  // warplens: trip <= 27

  for (auto it = 0; it < 5 && n; it++) *a++ = sizeof(real);   // warplens: trip 5
  auto later = [&] { n = 3; };
  #pragma acc wait(1)
}
#pragma acc routine(work) gang
