// Arrays whose length the launch does not show: each has its own memory.
template <int Threads, int Items>
struct Shape {
    static constexpr int size = Threads * Items;
    struct Memory {
        float values[size];
        float sums[size];
        int last;
    };
};

template <class Of>
__global__ void kept(const float *in, float *out) {
    extern __shared__ char memory[];
    auto &room = *reinterpret_cast<typename Of::Memory *>(memory);
    int t = threadIdx.x;
    if (t == 0) room.last = 127;
    __syncthreads();
    int last = room.last;
    room.values[t] = in[blockIdx.x * 128 + t];
    room.sums[t] = in[blockIdx.x * 128 + t] * 2.0f;
    __syncthreads();
    out[blockIdx.x * 128 + t] = room.sums[last - t] + room.values[last - t];
}

template <int Items>
void launch(const float *in, float *out) {
    kept<Shape<128, Items>><<<640, 128, 4096>>>(in, out);
}
