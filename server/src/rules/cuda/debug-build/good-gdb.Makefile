# Both for the debugger, by the names of their targets; the flags are used there alone.
NVCC = nvcc
STEPS = -g -G

scale-gdb: good-gdb.cu
	$(NVCC) $(STEPS) -O1 -o $@ $^

deb: good-gdb.cu
	$(NVCC) -g -G -o $@ $^
