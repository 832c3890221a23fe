# What was set first is not what the compiler is handed.
FLAGS = -g -G
FLAGS = -O3 -lineinfo

scale: good-replaced.cu
	nvcc $(FLAGS) -o $@ $<
