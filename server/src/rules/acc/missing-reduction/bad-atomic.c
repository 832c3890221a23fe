// One counter that each iteration updates atomically.
int count(const int *restrict v, int n)
{
  int hits = 0;
#pragma acc parallel loop copyin(v[0:n]) copy(hits)
  for (int i = 0; i < n; i++) {
    if (v[i] > 0) {
#pragma acc atomic update
      hits += 1;
//    ^^^^ atomic information
    }
  }
  return hits;
}
