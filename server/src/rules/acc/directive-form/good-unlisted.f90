! Everything is in a clause, there or around it, or has one value.
subroutine get(values, array, gas, n)
  implicit none
  integer, intent(in) :: gas, n
  integer, parameter :: first = 1
  real, intent(in) :: values(:, :)
  real, intent(out) :: array(:)
  real :: total, part
  integer :: i
  total = 0.0
  !$acc data copyout(array) present(values)
  !$acc parallel loop default(none) copyin(gas) private(part) reduction(+:total)
  do i = first, n
    part = values(i, gas)
    array(i) = part
    total = total + part
  end do
  !$acc end data
  array(1) = total
end subroutine
