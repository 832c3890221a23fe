// Each thread may get another place: from a range of its own, or from a function that is not known here.
#include <cuda_runtime.h>

class Numbers {
 public:
  class Iterator {
   public:
    __device__ explicit Iterator(long at) : at_(at) {}
    __device__ long operator*() const { return at_; }
    __device__ Iterator &operator++() {
      at_ += step_;
      return *this;
    }
    __device__ bool operator!=(const Iterator &end) const { return at_ < end.at_; }
    __device__ void setStep(long step) { step_ = step; }

   private:
    long at_;
    long step_ = 1;
  };

  __device__ Numbers(long from, long to) : from_(from), to_(to) {}
  __device__ Iterator begin() const { return from_; }
  __device__ Iterator end() const { return to_; }
  __device__ void setStep(long step) { from_.setStep(step); }

 private:
  Iterator from_;
  Iterator to_;
};

__device__ Numbers ofThread(long n) {
  Numbers numbers(blockIdx.x * blockDim.x + threadIdx.x, n);
  numbers.setStep(gridDim.x * blockDim.x);
  return numbers;
}

__global__ void byRange(float *x, long n) {
  for (auto i : ofThread(n)) x[i] = 2 * x[i];
}

__global__ void byIterator(float *x, long n) {
  Numbers numbers = ofThread(n);
  auto end = numbers.end();
  for (auto i = numbers.begin(); i != end; ++i) x[*i] += 1;
}

struct Work {
  int first;
};

__global__ void byFunctions(float *x, int n, int (*index)(), void (*find)(int *), Work (*take)(int), float *(*row)()) {
  int i = index();
  x[i] += 1;
  int j;
  find(&j);
  x[j] += 1;
  Work work = take(n);
  x[work.first] += 1;
  float *own = row();
  own[0] += 1;
}

void launch(float *x, int n, int (*index)(), void (*find)(int *), Work (*take)(int), float *(*row)()) {
  byRange<<<(n + 255) / 256, 256>>>(x, n);
  byIterator<<<(n + 255) / 256, 256>>>(x, n);
  byFunctions<<<(n + 255) / 256, 256>>>(x, n, index, find, take, row);
}
