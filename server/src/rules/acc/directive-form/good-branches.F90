! Branches of #if between the lines of one directive stand for one another.
subroutine scale(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
!$acc parallel loop &
#ifndef MAPPED
!$acc present( &
#else
!$acc deviceptr( &
#endif
!$acc a, b)
  do i = 1, n
    a(i) = 2 * b(i)
  end do
end subroutine
