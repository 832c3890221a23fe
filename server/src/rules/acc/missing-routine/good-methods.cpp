// A method that its class's own text defines outside of it: nothing says which class a call of that name means.
struct Column {
  int n;
  double *depth;
  double weight(int i) const;
  void scale();
};

double Column::weight(int i) const { return i < n ? 1.0 : 0.5; }

void Column::scale() {
  double *d = depth;
  const int count = n;
  #pragma acc parallel loop copy(d[0:count])
  for (int i = 0; i < count; i++) d[i] *= weight(i);
}
