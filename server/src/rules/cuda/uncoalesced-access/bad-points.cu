// Points of 144 bytes that functions add: arithmetic is the kernel's time, and the sectors are a hint.
struct Field { unsigned limb[12]; };
struct Point { Field x, y, z; };

__device__ void add(Field &sum, const Field &a, const Field &b) {
  unsigned carry = 0;
  for (int i = 0; i < 12; i++) {
    unsigned long long part = (unsigned long long)a.limb[i] + b.limb[i] + carry;
    sum.limb[i] = (unsigned)part;
    carry = (unsigned)(part >> 32);
  }
}
__device__ void addPoints(Point &sum, const Point &a) {
  add(sum.x, sum.x, a.x);
  add(sum.y, sum.y, a.y);
  add(sum.z, sum.z, a.z);
}

__global__ void doubled(const Point *points, Point *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Point sum = points[i];
//            ^^^^^^^^^ whole-struct warning
  addPoints(sum, sum);
  addPoints(sum, sum);
  sums[i] = sum;
//^^^^^^^ whole-struct warning
}

__global__ void copied(const Point *points, Point *others, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) others[i] = points[i];
//           ^^^^^^^^^ whole-struct warning
//                       ^^^^^^^^^ whole-struct warning
}

void launch(const Point *points, Point *sums, int n) {
  doubled<<<(n + 127) / 128, 128>>>(points, sums, n);
  copied<<<(n + 127) / 128, 128>>>(points, sums, n);
}

// A table in shared memory is asked for longer than the sectors take.
__global__ void cipher(const unsigned *table, const unsigned *keys, unsigned *out, int n) {
  __shared__ unsigned box[256][32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  for (int at = threadIdx.x >> 5; at < 256; at += blockDim.x >> 5) box[at][lane] = table[at];
  __syncthreads();
  if (i >= n) return;
  unsigned a = keys[i], b = ~a;
  for (int round = 0; round < 40; round++) {
    unsigned next = box[a >> 24][lane] ^ box[(b >> 16) & 255][lane] ^ box[(a >> 8) & 255][lane];
    a = b ^ box[a & 255][lane];
    b = next;
  }
  out[32 * i] = a;
//^^^^^^^^^^^ stride warning
}

void encrypt(const unsigned *table, const unsigned *keys, unsigned *out, int n) {
  cipher<<<(n + 255) / 256, 256>>>(table, keys, out, n);
}
