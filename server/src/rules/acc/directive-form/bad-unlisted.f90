! Scalars count under `default(none)`.
subroutine get(values, array, gas, n)
  implicit none
  integer, intent(in) :: gas, n
  real, intent(in) :: values(:, :)
  real, intent(out) :: array(:)
  integer :: i
  !$acc data copyout(array) present(values)
  !$acc kernels default(none) present(values, array)
!               ^^^^^^^^^^^^^ unlisted error
  do i = 1, n
    array(i) = values(i, gas)
  end do
  !$acc end kernels
  !$acc end data
end subroutine
