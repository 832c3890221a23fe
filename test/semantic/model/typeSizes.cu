// Sizes of types that nothing gives: bytes of as many elements are elements apart, other bytes have an unknown factor.
template <typename T> __global__ void sizes(char *frame, char *flags, T *out, int pitch, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  T *row = (T *)(frame + blockIdx.y * pitch + x * sizeof(T));
  out[x] = row[0];
//         ^^^^^^ load 4/4 assumed
//^^^^^^ store 4/4 assumed
  T *far = reinterpret_cast<T *>(frame + n * sizeof(T) * 8);
  out[x + 32] = far[x];
//              ^^^^^^ load 4/4 assumed
//^^^^^^^^^^^ store 4/4 assumed
  T *apart = (T *)(frame + 2 * x * sizeof(T));
  out[x + 64] = apart[0];
//              ^^^^^^^^ load 8/4 assumed
//^^^^^^^^^^^ store 4/4 assumed
  flags[x * sizeof(T)] = 1;
//^^^^^^^^^^^^^^^^^^^^ store 4/1 assumed
}
template <typename T> void run(char *a, char *b, T *c, int pitch, int n) { sizes<T><<<dim3(8, 8), 128>>>(a, b, c, pitch, n); }
