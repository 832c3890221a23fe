// Sums up the kernels of a process by name and launch shape; loaded through CUDA_INJECTION64_PATH.
#include <cupti.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <mutex>
#include <csignal>
#include <unistd.h>
#include <thread>
struct Sum { unsigned long long n = 0, ns = 0; };
static std::map<std::string, Sum>* sums; static std::mutex* mu;
static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *max) { *size = 4 << 20; *buffer = (uint8_t *)aligned_alloc(16, *size); *max = 0; }
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  CUpti_Activity *r = nullptr;
  std::lock_guard<std::mutex> g(*mu);
  while (cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
    if (r->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    auto *k = (CUpti_ActivityKernel10 *)r;
    char shape[160];
    snprintf(shape, sizeof shape, "%d,%d,%d\t%d,%d,%d\t", k->gridX, k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ);
    auto &s = (*sums)[std::string(shape) + (k->name ? k->name : "?")];
    s.n++; s.ns += k->end - k->start;
  }
  free(buffer);
}
static void write() {
  cuptiActivityFlushAll(1);
  const char *p = getenv("TRACE_OUT"); if (!p) return;
  char tmp[4096]; snprintf(tmp, sizeof tmp, "%s.%d", p, (int)getpid());
  std::lock_guard<std::mutex> g(*mu);
  FILE *f = fopen(tmp, "w"); if (!f) return;
  for (auto &e : *sums) fprintf(f, "%llu\t%llu\t%s\n", e.second.n, e.second.ns, e.first.c_str());
  fclose(f);
}
static void onterm(int) { write(); _exit(143); }
extern "C" int InitializeInjection(void) {
  sums = new std::map<std::string, Sum>; mu = new std::mutex;
  if (cuptiActivityRegisterCallbacks(request, complete) != CUPTI_SUCCESS) return 1;
  if (cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) fprintf(stderr, "cupti enable failed\n");
  atexit(write);
  signal(SIGTERM, onterm);
  return 1;
}
