! The same of Fortran's arrays, by their declared bounds.
subroutine combine(n, a, b, c, d)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n), c(n), d(0:n)
  integer :: i
  !$acc parallel loop copy(a, b, d) copyin(c)
!                          ^ too-wide
!                             ^ too-wide
!                                          ^ unused
  do i = 1, n
    b(i) = 2.0d0 * a(i)
    d(i) = b(i)
  end do
end subroutine
