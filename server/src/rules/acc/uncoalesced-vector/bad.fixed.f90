! Fortran's first subscript runs along memory.
subroutine smooth(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real, intent(in) :: a(n, m)
  real, intent(out) :: b(n, m)
  integer :: i, j
  !$acc parallel loop gang present(a, b) collapse(2) vector
  do j = 2, m - 1
    do i = 2, n - 1
      b(i, j) = 0.5 * a(i, j) + 0.25 * (a(i - 1, j) + a(i + 1, j))
    end do
  end do
  !$acc kernels present(a, b)
  !$acc loop independent gang collapse(2) vector(128)
  do j = 1, m
    do i = 1, n
      b(i, j) = b(i, j) + a(i, j)
    end do
  end do
  !$acc end kernels
end subroutine

subroutine scale(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), allocatable, intent(inout) :: a(:, :, :)
  integer :: i, j, k
  !$acc parallel loop collapse(3) present(a)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        a(i, j, k) = 2.0d0 * a(i, j, k)
      end do
    end do
  end do
end subroutine
