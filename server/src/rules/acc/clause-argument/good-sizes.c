// Pointers in `deviceptr`: arguments, arrays as arguments, typedefs, members, types of a header that is not read.
typedef double *buffer;
struct grid { double *cells; };
const double weights[3] = {0.25, 0.5, 0.25};
void scale(double *a, double b[16], buffer c, struct grid *g, int n) {
  double *cells = g->cells;
#pragma acc parallel loop gang vector deviceptr(a, b, c, cells) copyin(weights)
  for (int i = 0; i < n; ++i) a[i] = b[0] * weights[1] + c[i] + cells[i];
#pragma acc kernels loop gang(16) vector(64) deviceptr(a)
  for (int i = 0; i < n; ++i) a[i] *= 2;
}
