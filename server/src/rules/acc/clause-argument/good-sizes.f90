! Sizes on loops of kernels, on the construct, and of chunks; arguments in `deviceptr`.
subroutine smooth(a, b, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m), b(n)
  real(8), parameter :: half = 0.5d0
  real(8) :: local(16)
  integer :: i, j
!$acc kernels copy(a)
!$acc loop gang(8) worker(4)
  do j = 1, m
!$acc loop vector(64)
    do i = 1, n
      a(i, j) = half * a(i, j)
    end do
  end do
!$acc end kernels
!$acc parallel num_workers(4) vector_length(64) copy(a) copyin(local)
!$acc loop gang(static: 4) worker
  do j = 1, m
!$acc loop vector
    do i = 1, n
      a(i, j) = a(i, j) + local(1)
    end do
  end do
!$acc end parallel
!$acc parallel loop gang vector deviceptr(b)
  do i = 1, n
    b(i) = half
  end do
end subroutine
