# A flag that stayed.
NVCC = nvcc
NVCC_FLAGS = -O3 -arch=sm_90 \
             -g -G

scale: bad.cu
	$(NVCC) $(NVCC_FLAGS) -o $@ $<
