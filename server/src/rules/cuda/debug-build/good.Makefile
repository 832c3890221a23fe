NVCC = nvcc
FLAGS = -O3 -lineinfo
DEBUG_FLAGS = -g -G
UNUSED = -G
# FLAGS += -G
ifeq ($(DEBUG),1)
FLAGS += -G
endif

scale: good.cu
	$(NVCC) $(FLAGS) -o $@ $<

scale-debug: good.cu
	$(NVCC) -G -o $@ $<
	$(NVCC) $(DEBUG_FLAGS) -o $@ $<

project:
	cmake -G Ninja -B build
