// In C++ the word is __restrict__.
void scale(int n, float factor, const float *from, float *to) {
  #pragma acc kernels loop copyin(from[0:n]) copyout(to[0:n])
  for (int i = 0; i < n; ++i) to[i] = factor * from[i];
//^^^^^^^^^^^^^^^^^^^^^^^^^^^ may-overlap
}
