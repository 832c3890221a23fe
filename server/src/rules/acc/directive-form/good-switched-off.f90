! A construct without its signs, at the begin and at the end, beside a whole one: it was switched off.
subroutine double(n, a)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i
  !acc data copy(a)
  !$acc parallel loop copy(a)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
  !acc parallel loop
  do i = 1, n
    a(i) = a(i) + 1
  end do
  !acc end parallel
  !acc end data
end subroutine
