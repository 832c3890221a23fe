#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

__global__ void eliminate(float *a, int n, int k, int pivot) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + k] /= a[pivot * n + k];
}

// Steps of one computation: on all data, on buffers that alternate, on a part that the last step chose, with a kernel
// between, or until one part is found.
float steps(thrust::device_vector<float> &v, float *a, const int *starts, int n, int steps) {
  float sum = 0;
  for (int i = 0; i < steps; i++) {
    thrust::sort(v.begin(), v.end());
    sum += thrust::reduce(v.begin(), v.begin() + i);
  }
  for (int i = 0; i < steps; i++) thrust::sort(v.begin() + (i % 2) * n, v.begin() + (i % 2) * n + n);
  int end = 0;
  for (int i = 0; i < steps; i++) {
    int begin = end + i;
    end = begin + (int)thrust::reduce(v.begin() + end, v.begin() + end + i);
  }
  for (int k = 0; k < n; k++) {
    float *column = a + k * n + k;
    int pivot = thrust::max_element(thrust::device, a + k * n + k, a + k * n + n) - column;
    eliminate<<<(n + 255) / 256, 256>>>(a, n, k, pivot);
  }
  for (int i = 0; i < steps; i++)
    if (thrust::reduce(v.begin() + starts[i], v.begin() + starts[i + 1]) > 1) break;
  return sum;
}

// The host's own data, by its vectors or pointers.
void onHost(thrust::host_vector<float> &v, float *p, const int *starts, int parts) {
  for (int i = 0; i < parts; i++) {
    thrust::sort(v.begin() + starts[i], v.begin() + starts[i + 1]);
    thrust::sort(thrust::host, p + starts[i], p + starts[i + 1]);
    thrust::sort(p + starts[i], p + starts[i + 1]);
  }
}
