! Arrays of managed memory, by a sentinel that CUDA Fortran's compiler reads: they move as they are touched.
program heat
  implicit none
  integer, parameter :: n = 512, steps = 1000
  real(8) :: grid(n, n), next(n, n)
  integer :: i, j, step
  !@cuf attributes(managed) :: grid, next
  grid = 0.0d0
  next = 0.0d0
  grid(1, :) = 1.0d0
  next(1, :) = 1.0d0
  do step = 1, steps
    !$acc kernels
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = 0.25d0 * (grid(i - 1, j) + grid(i + 1, j) + grid(i, j - 1) + grid(i, j + 1))
      end do
    end do
    do j = 2, n - 1
      do i = 2, n - 1
        grid(i, j) = next(i, j)
      end do
    end do
    !$acc end kernels
  end do
  print *, grid(2, 2)
end program heat
