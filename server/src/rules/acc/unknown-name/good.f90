! Any case, and names without their blanks.
subroutine scale(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
!$ACC ENTERDATA CREATE(A)
!$acc Parallel Loop Present(A)
  do i = 1, n
    a(i) = 2 * i
  end do
!$acc exit data copyout(a)
end subroutine
