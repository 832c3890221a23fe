#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

void sums(thrust::device_vector<float> &values, const int *starts, float *out, int parts) {
  for (int i = 0; i < parts; i++) {
    thrust::sort(values.begin() + starts[i], values.begin() + starts[i + 1]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ parts warning
    out[i] = thrust::reduce(values.begin() + starts[i], values.begin() + starts[i + 1]);
//           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ parts warning
  }
}

void columns(const float *cuts, const float *values, int *bins, const int *row, const int *column, int n) {
  for (int id = 0; id < n; ++id) {
    auto first = cuts + row[id];
    auto last = cuts + row[id + 1];
    thrust::lower_bound(thrust::device, first, last, values + column[id], values + column[id + 1], bins + column[id]);
//  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ parts warning
  }
}
