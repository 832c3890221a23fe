// Forces of two terms go to the same atoms, each by an atomic of its own.
__device__ void addTo(float3 *place, float3 v) {
    atomicAdd(&place->x, v.x);
    atomicAdd(&place->y, v.y);
    atomicAdd(&place->z, v.z);
}

__global__ void bonds(float *force, const int *__restrict__ atoms, const float *__restrict__ terms, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = atoms[i];
    atomicAdd(&force[a], terms[i]);
    atomicAdd(&force[a], terms[i + n]);
//             ^^^^^^^^ repeated warning
}

__global__ void angles(float3 *force, const int *__restrict__ atoms, const float3 *__restrict__ terms, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = atoms[i];
    addTo(&force[a], terms[i]);
    float3 more = terms[i + n];
    if (more.x > 0.f) addTo(&force[a], more);
//                    ^^^^^^^^^^^^^^^^^^^^^^ repeated hint
}

void launch(float *force, float3 *forces, const int *atoms, const float *terms, const float3 *vectors, int n) {
    bonds<<<n / 256 + 1, 256>>>(force, atoms, terms, n);
    angles<<<n / 256 + 1, 256>>>(forces, atoms, vectors, n);
}
