! Fortran's arguments do not overlap by rule.
subroutine add(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: a(n)
  real(8), intent(in) :: b(n)
  integer :: i
  !$acc kernels
  do i = 1, n
    a(i) = b(i)
  end do
  !$acc end kernels
end subroutine
