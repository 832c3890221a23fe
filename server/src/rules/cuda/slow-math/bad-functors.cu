// Kernels that hand their work to the call operator of an object.
struct Arguments {
  double *out;
  double step;
  int n;
};

template <typename Arg> struct Noise {
  const Arg &arg;
  __device__ Noise(const Arg &arg) : arg(arg) {}
  __device__ double operator()(int i) const {
    double sum = 0.0;
    for (int k = 0; k < 64; k++) {
      double phi = arg.step * k * i;
      sum += cos(phi);
      sum -= 3.0 * sin(phi);
//                 ^^^^^^^^ sincos warning
    }
    return sum;
  }
};

template <typename Arg> __global__ void noise(Arg arg) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Noise<Arg> draw(arg);
  if (i < arg.n) arg.out[i] = draw(i);
}

void launch(Arguments arguments) {
  noise<<<arguments.n / 256, 256>>>(arguments);
}
