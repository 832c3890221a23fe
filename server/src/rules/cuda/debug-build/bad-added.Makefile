# What is added to the flags leaves what there is.
NVCC ?= nvcc
NVCCFLAGS = -g -G
NVCCFLAGS += -arch=sm_90
NVCCFLAGS ?= -O3

scale: bad-added.cu
	$(NVCC) $(NVCCFLAGS) -o $@ $<
