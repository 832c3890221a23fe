// fix: Launch a graph
// The same short launches on each iteration.
#include <cstdio>

__global__ void relax(const float *before, float *after, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > 0 && i < n - 1) after[i] = 0.25f * before[i - 1] + 0.5f * before[i] + 0.25f * before[i + 1];
}

__global__ void cool(float *values, float by, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) values[i] *= by;
}

void relaxed(float *even, float *odd, int rounds, cudaStream_t stream)
{
	const int n = 1 << 14;
	const int threads = 256;
	for (int round = 0; round < rounds; round++)
	{
		relax<<<(n + threads - 1) / threads, threads, 0, stream>>>(even, odd, n);
		// And back.
		relax<<<(n + threads - 1) / threads, threads, 0, stream>>>(odd, even, n);
	}
	cudaStreamSynchronize(stream);
}

void checked(float *even, float *odd, cudaStream_t stream, float by)
{
	const dim3 grid(32), block(128);
	for (int i = 0; i < 100; ++i)
	{
		relax<<<grid, block, 0, stream>>>(even, odd, 4096);
		if (cudaGetLastError() != cudaSuccess) printf("relax failed\n");
		cool<<<grid, block, 0, stream>>>(odd, by, 4096);
		relax<<<grid, block, 0, stream>>>(odd, even, 4096);
	}
}
