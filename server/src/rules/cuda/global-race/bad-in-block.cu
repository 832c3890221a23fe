// One block: a barrier orders its threads.
__global__ void reverse(const float *in, float *kept, float *out) {
    int t = threadIdx.x;
    kept[t] = in[t];
    out[t] = kept[255 - t];
    //       ^^^^^^^^^^^^^ unseen-write
}

void launch(const float *in, float *kept, float *out) { reverse<<<1, 256>>>(in, kept, out); }
