// Atomic updates that a reduction cannot replace: the old value is used, each bin is another place.
void compact(const int *restrict v, int *restrict kept, int *restrict bins, int *restrict size, int n)
{
  int used = 0;
#pragma acc parallel loop copyin(v[0:n]) copyout(kept[0:n]) copy(bins[0:64], used)
  for (int i = 0; i < n; i++) {
    if (v[i] > 0) {
      int at;
#pragma acc atomic capture
      at = used++;
      kept[at] = v[i];
    }
#pragma acc atomic update
    bins[v[i] & 63] += 1;
  }
  *size = used;
}
