// A page that shows the form, for the reader to fill in.
void form(int n, float *a) {
#pragma acc directive <clauses>
  {
    for (int i = 0; i < n; i++) a[i] = 0.0f;
  }
}
