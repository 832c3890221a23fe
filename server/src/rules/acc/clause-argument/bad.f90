! C's operators in Fortran, and a list that ends too early.
subroutine total(a, ok, n)
  integer, intent(in) :: n
  logical, intent(in) :: a(n)
  logical, intent(inout) :: ok
  integer :: i
!$acc parallel loop reduction(&&: ok) copyin(a, )
!                             ^^^^^^ malformed
!                                           ^^^^^ malformed
  do i = 1, n
    ok = ok .and. a(i)
  end do
end subroutine
