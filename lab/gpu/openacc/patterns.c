// Times small pairs, one for each rule whose worth is a time and that GCC can build (its kernels regions run on one gang): lines `pair RULE BEFORE_MS AFTER_MS agree|DIFFER`, medians of 11.
#include "../../../samples/openacc/problem.h"

enum { repetitions = 11 };
typedef void (*Variant)(double *, double *);
static double *a, *b;
static const int size = 1 << 24;

// ---- acc/data-clause: an input that travels both ways
static void copyBoth(double *p, double *q) {
  #pragma acc parallel loop gang vector copy(p[0:size]) copy(q[0:size])
  for (int i = 0; i < size; i++) q[i] = 2.0 * p[i];
}
static void copyOneWay(double *p, double *q) {
  #pragma acc parallel loop gang vector copyin(p[0:size]) copyout(q[0:size])
  for (int i = 0; i < size; i++) q[i] = 2.0 * p[i];
}

// ---- acc/update-in-loop: what the host does not read comes back on each turn
static void updateEachTurn(double *p, double *q) {
  #pragma acc data copyin(p[0:size]) create(q[0:size])
  {
    for (int turn = 0; turn < 10; turn++) {
      #pragma acc parallel loop gang vector present(p[0:size], q[0:size])
      for (int i = 0; i < size; i++) q[i] = p[i] + turn;
      #pragma acc update self(q[0:size])
    }
  }
}
static void updateOnce(double *p, double *q) {
  #pragma acc data copyin(p[0:size]) create(q[0:size])
  {
    for (int turn = 0; turn < 10; turn++) {
      #pragma acc parallel loop gang vector present(p[0:size], q[0:size])
      for (int i = 0; i < size; i++) q[i] = p[i] + turn;
    }
    #pragma acc update self(q[0:size])
  }
}

// ---- acc/missing-data-region: the arrays travel with each region of a loop
static void regionEachTurn(double *p, double *q) {
  for (int turn = 0; turn < 10; turn++) {
    #pragma acc parallel loop gang vector copyin(p[0:size]) copy(q[0:size])
    for (int i = 0; i < size; i++) q[i] = 0.5 * q[i] + p[i];
  }
}
static void regionAround(double *p, double *q) {
  #pragma acc data copyin(p[0:size]) copy(q[0:size])
  {
    for (int turn = 0; turn < 10; turn++) {
      #pragma acc parallel loop gang vector present(p[0:size], q[0:size])
      for (int i = 0; i < size; i++) q[i] = 0.5 * q[i] + p[i];
    }
  }
}

// ---- acc/missing-collapse: 16 planes of 1024 rows of 1024, gangs for the planes alone
static void outerAlone(double *p, double *q) {
  #pragma acc parallel loop gang present(p[0:size], q[0:size])
  for (int plane = 0; plane < 16; plane++) {
    #pragma acc loop seq
    for (int row = 0; row < 1024; row++) {
      #pragma acc loop vector
      for (int i = 0; i < 1024; i++) q[(plane * 1024 + row) * 1024 + i] = 3.0 * p[(plane * 1024 + row) * 1024 + i];
    }
  }
}
static void collapsed(double *p, double *q) {
  #pragma acc parallel loop gang collapse(2) present(p[0:size], q[0:size])
  for (int plane = 0; plane < 16; plane++) {
    for (int row = 0; row < 1024; row++) {
      #pragma acc loop vector
      for (int i = 0; i < 1024; i++) q[(plane * 1024 + row) * 1024 + i] = 3.0 * p[(plane * 1024 + row) * 1024 + i];
    }
  }
}

// ---- acc/missing-mapping: the rows have the gangs and the lanes, their elements none
static void rowsOnly(double *p, double *q) {
  #pragma acc parallel loop gang vector present(p[0:size], q[0:size])
  for (int row = 0; row < 4096; row++) {
    #pragma acc loop seq
    for (int i = 0; i < 4096; i++) q[row * 4096 + i] = 5.0 * p[row * 4096 + i];
  }
}
static void rowsAndElements(double *p, double *q) {
  #pragma acc parallel loop gang present(p[0:size], q[0:size])
  for (int row = 0; row < 4096; row++) {
    #pragma acc loop vector
    for (int i = 0; i < 4096; i++) q[row * 4096 + i] = 5.0 * p[row * 4096 + i];
  }
}

// ---- acc/uncoalesced-vector: the lanes along the slow axis
static void lanesDown(double *p, double *q) {
  #pragma acc parallel loop gang present(p[0:size], q[0:size])
  for (int column = 0; column < 4096; column++) {
    #pragma acc loop vector
    for (int row = 0; row < 4096; row++) q[row * 4096 + column] = 5.0 * p[row * 4096 + column];
  }
}

// ---- acc/sync-in-loop: small independent regions, each waited for
static void waited(double *p, double *q) {
  for (int part = 0; part < 64; part++) {
    const int begin = part * 16384;
    #pragma acc parallel loop gang vector present(p[0:size], q[0:size])
    for (int i = begin; i < begin + 16384; i++) q[i] = p[i] + 1.0;
  }
}
static void queued(double *p, double *q) {
  for (int part = 0; part < 64; part++) {
    const int begin = part * 16384;
    #pragma acc parallel loop gang vector present(p[0:size], q[0:size]) async(part % 4)
    for (int i = begin; i < begin + 16384; i++) q[i] = p[i] + 1.0;
  }
  #pragma acc wait
}

static double timeOf(Variant variant, int resident, double *sum) {
  double times[repetitions];
  for (int i = 0; i < size; i++) { a[i] = i % 1000; b[i] = 1.0; }
  if (resident) {
    #pragma acc enter data copyin(a[0:size], b[0:size])
  }
  variant(a, b);
  for (int each = 0; each < repetitions; each++) {
    const double begin = now();
    variant(a, b);
    times[each] = now() - begin;
  }
  if (resident) {
    #pragma acc exit data copyout(b[0:size]) delete(a[0:size])
  }
  *sum = 0.0;
  for (int i = 0; i < size; i++) *sum += b[i] * (i % 3);
  return median(times, repetitions);
}

int main(void) {
  static const struct { const char *rule; Variant before, after; int resident; } pairs[] = {
    {"acc/data-clause", copyBoth, copyOneWay, 0}, {"acc/update-in-loop", updateEachTurn, updateOnce, 0},
    {"acc/missing-data-region", regionEachTurn, regionAround, 0}, {"acc/missing-collapse", outerAlone, collapsed, 1},
    {"acc/missing-mapping", rowsOnly, rowsAndElements, 1}, {"acc/uncoalesced-vector", lanesDown, rowsAndElements, 1},
    {"acc/sync-in-loop", waited, queued, 1},
  };
  a = (double *)allocate(size * sizeof(double));
  b = (double *)allocate(size * sizeof(double));
  for (unsigned each = 0; each < sizeof pairs / sizeof pairs[0]; each++) {
    double first, second;
    const double before = timeOf(pairs[each].before, pairs[each].resident, &first);
    const double after = timeOf(pairs[each].after, pairs[each].resident, &second);
    printf("pair %s %.4f %.4f %s\n", pairs[each].rule, before, after, fabs(first - second) <= 1e-9 * fabs(first) ? "agree" : "DIFFER");
    fflush(stdout);
  }
  return 0;
}
