scale: bad-command.cu
	nvcc -g -G -o $@ $<
