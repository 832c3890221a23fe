# Which compiler hangs on the caller; where nobody asks it is this one, with managed memory.
COMPILER ?= NVHPC-managed
ifeq ($(COMPILER),GCC)
	CFLAGS += -O3 -fopenacc
else ifeq ($(COMPILER),NVHPC-managed)
	CFLAGS += -acc=gpu -gpu=managed,cc80
else ifeq ($(COMPILER),NVHPC)
	CFLAGS += -acc=gpu -gpu=cc80
endif

jacobi: good-chosen.c
	$(CC) $(CFLAGS) -o $@ $<
