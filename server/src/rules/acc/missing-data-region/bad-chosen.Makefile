# Which compiler hangs on the caller; where nobody asks it is this one, without managed memory.
COMPILER ?= NVHPC
ifeq ($(COMPILER),GCC)
	CFLAGS += -O3 -fopenacc
else ifeq ($(COMPILER),NVHPC-managed)
	CFLAGS += -acc=gpu -gpu=managed,cc80
else ifeq ($(COMPILER),NVHPC)
	CFLAGS += -acc=gpu -gpu=cc80
endif

jacobi: bad-chosen.c
	$(CC) $(CFLAGS) -o $@ $<
