! A stencil beside the loop that fills its grid.
subroutine relax(n, u, v)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: u(n, n), v(n, n)
  integer :: i, j
  !$acc parallel default(present)
  !$acc loop gang collapse(2)
  do j = 2, n - 1
    do i = 2, n - 1
      v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
    end do
  end do
  !$acc loop gang collapse(2)
  do j = 2, n - 1
    do i = 2, n - 1
      u(i, j) = v(i, j)
!     ^^^^^^^ unordered error
    end do
  end do
  !$acc end parallel
end subroutine

subroutine scaled(n, a, b)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n), b(n)
  integer :: i
  !$acc parallel default(present)
  !$acc loop gang
  do i = 1, n
    a(i) = a(i) * 2.0
!   ^^^^ unordered
  end do
  !$acc loop gang
  do i = 1, n
    b(i) = b(i) / a(n)
  end do
  !$acc end parallel
end subroutine

! The second iteration of the one loop has the element of the first of the other.
subroutine inside(n, a, b)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n), b(n)
  integer :: i
  !$acc parallel default(present)
  !$acc loop gang vector
  do i = 1, n
    a(i) = i
!   ^^^^ unordered
  end do
  !$acc loop gang vector
  do i = 2, n - 1
    b(i) = a(i)
  end do
  !$acc end parallel
end subroutine
