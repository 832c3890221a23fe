// Generators are set up once, before the work, whatever the shape.
struct Generator { unsigned state, step; };

__global__ void setupGenerators(Generator *all) {
  Generator one = {1234u + blockIdx.x, 2u * blockIdx.x + 1u};
  for (int k = 0; k < 4096; k++) one.state = one.state * 1664525u + one.step;
  all[blockIdx.x] = one;
}

void run(Generator *all, int batch) {
  setupGenerators<<<batch, 1>>>(all);
//                         ^ one-thread hint
}
