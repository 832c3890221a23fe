// fix: Insert __sync
__global__ void total(const float *in, float *out)
{
	__shared__ float s[256];
	unsigned t = threadIdx.x;
	s[t] = in[blockIdx.x * blockDim.x + t];
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half > 0; half >>= 1)
	{
		if (t < half) s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0) out[blockIdx.x] = s[0];
}

void launch(float *a, float *b, int n) { total<<<n / 256, 256>>>(a, b); }
