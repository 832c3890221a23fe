// Clocks within the iteration.
#include <chrono>
#include <cstdio>

__global__ void work(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

void measure(float *x, int n) {
  double total = 0;
  for (int i = 0; i < 100; i++) {
    auto start = std::chrono::steady_clock::now();
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    auto end = std::chrono::steady_clock::now();
    total += std::chrono::duration<double>(end - start).count();
  }
  printf("%f\n", total);
}

// The clock is read at the head of the next iteration, and in a function of its own.
static double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double lap(double &last) {
  double now = seconds(), passed = now - last;
  last = now;
  return passed;
}
double laps(float *x, int n) {
  double last = seconds(), longest = 0;
  for (int i = 0; i < 100; i++) {
    double passed = lap(last);
    if (passed > longest) longest = passed;
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
  }
  return longest;
}

float withEvents(float *x, int n) {
  cudaEvent_t begin, finish;
  cudaEventCreate(&begin);
  cudaEventCreate(&finish);
  float total = 0, milliseconds;
  for (int i = 0; i < 10; i++) {
    cudaEventRecord(begin);
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaEventRecord(finish);
    cudaEventSynchronize(finish);
    cudaEventElapsedTime(&milliseconds, begin, finish);
    total += milliseconds;
  }
  return total;
}

// The blocking copy is what the clock waits by.
double withCopies(float *x, float *host, int n) {
  double total = 0;
  for (int i = 0; i < 10; i++) {
    double start = seconds();
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    total += seconds() - start;
  }
  return total + host[0];
}

// The copy is itself what is timed.
double copies(float *x, float *host, int n) {
  double total = 0;
  for (int i = 0; i < 10; i++) {
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    double start = seconds();
    cudaMemcpy(host, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    total += seconds() - start;
  }
  return total + host[0];
}

// A clock is a function of a class.
class Timer {
public:
  static int Start();
  static double Stop(int handle, const char *what);
};
void check();

double steps(float *x, int n) {
  double first = 0, second = 0;
  for (int i = 0; i < 10; i++) {
    int handle = Timer::Start();
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    check();
    first += Timer::Stop(handle, "first");
    handle = Timer::Start();
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    second += Timer::Stop(handle, "second");
  }
  return first + second;
}

// The event was waited for, and nothing is queued since.
double events(float *x, int n, cudaEvent_t start, cudaEvent_t stop) {
  float once = 0, total = 0;
  for (int i = 0; i < 10; i++) {
    cudaEventRecord(start, 0);
    work<<<(n + 255) / 256, 256>>>(x, n);
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&once, start, stop);
    total += once;
    cudaDeviceSynchronize();
  }
  return total;
}
