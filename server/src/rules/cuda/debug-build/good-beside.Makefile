# The same source as it is run, and for the debugger.
NVCC = nvcc
CFLAGS = -O3 -arch=sm_90

run: good-beside.cu
	$(NVCC) $(CFLAGS) -o $@ $^

inspect: good-beside.cu
	$(NVCC) -g -G $(CFLAGS) -o $@ $^
