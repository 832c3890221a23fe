// Whole arrays to the host, which reads many of their elements, hands them on, or keeps them.
void use(const float *restrict a);

float sum(float *restrict a, int n)
{
  float total = 0;
#pragma acc update self(a)
  for (int i = 0; i < n; i++) total += a[i];
#pragma acc parallel loop present(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
  return total;
}

float handed(float *restrict a, int n)
{
#pragma acc update self(a)
  float first = a[0];
  use(a);
#pragma acc parallel loop present(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
  return first;
}

float kept(float *restrict a, int n)
{
#pragma acc update self(a)
  return a[0];
}
