# A command that is not echoed; what links has no flags.
scale: scale.o
	nvcc $^ -o $@

scale.o: bad-quiet.cu
	@nvcc -O3 -G -c $< -o $@
