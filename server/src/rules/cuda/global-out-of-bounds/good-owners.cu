// Vectors whose size is not known any more, lists, and pairs of iterators.
#include <thrust/device_vector.h>
#include <vector>

void read(std::vector<float> &values);

__global__ void add(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += 1.0f;
}

void launch(const float *from, int more) {
  std::vector<float> h(1000);
  thrust::device_vector<float> all(1000);
  add<<<4, 256>>>(thrust::raw_pointer_cast(all.data()), 1000);

  h.push_back(1.0f);
  thrust::device_vector<float> grown = h;
  add<<<4, 256>>>(thrust::raw_pointer_cast(grown.data()), 1001);

  std::vector<float> passed(1);
  read(passed);
  thrust::device_vector<float> unknown = passed;
  add<<<4, 256>>>(thrust::raw_pointer_cast(unknown.data()), 1000);

  thrust::device_vector<float> range(from, from + 1000);
  add<<<4, 256>>>(thrust::raw_pointer_cast(range.data()), 1000);

  thrust::device_vector<float> some(1);
  if (more > 0) some.resize(1000);
  add<<<4, 256>>>(thrust::raw_pointer_cast(some.data()), 1000);

  std::vector<float> list{1.0f, 2.0f, 3.0f};
  thrust::device_vector<float> part(list.begin(), list.end());
  add<<<1, 3>>>(thrust::raw_pointer_cast(part.data()), 3);

  thrust::device_vector<float> swapped(1);
  swapped.swap(all);
  add<<<4, 256>>>(thrust::raw_pointer_cast(swapped.data()), 1000);

  thrust::device_vector<float> other(1);
  thrust::device_vector<float> &alias = other;
  alias.assign(1000, 0.0f);
  add<<<4, 256>>>(thrust::raw_pointer_cast(other.data()), 1000);
}
