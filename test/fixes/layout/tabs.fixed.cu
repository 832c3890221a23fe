// fix: ^Write `a \* a`
__device__ float bounded(float a, float b) {
	return a < b ? a : b;
}

__global__ void powers(const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;	// of the grid
	if (i >= n) return;
	float a = x[i];				// of the thread
	float sum = a * a;			// a square
	for (int k = 0; k < 8; k++) {
		sum += k;			// of the loop
	}
	y[i] = sum;				// "stored"  // once
}

void run(const float *x, float *y, int n) { powers<<<(n + 255) / 256, 256>>>(x, y, n); }
