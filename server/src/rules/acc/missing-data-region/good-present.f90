! Another construct of the loop finds the arrays on the GPU.
program relax
  integer, parameter :: n = 1000000
  real(8), allocatable :: a(:), b(:), c(:)
  integer :: i, t
  allocate(a(n), b(n), c(n))
  a = 0
  b = 0
  c = 1
  do t = 1, 1000
    !$acc parallel loop present(a, c)
    do i = 1, n
      a(i) = 2 * c(i)
    end do
    !$acc parallel loop present(c)
    do i = 1, n
      c(i) = c(i) + 1.5d0 * a(i) - 0.5d0 * b(i)
    end do
    !$acc parallel loop present(a, b)
    do i = 1, n
      b(i) = a(i)
    end do
  end do
end program
