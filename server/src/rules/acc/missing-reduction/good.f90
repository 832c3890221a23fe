! A reduction that is named, a sum of one iteration, and a kernels region.
subroutine sums(n, m, a, rows, total)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m, n)
  real(8), intent(out) :: rows(n), total
  real(8) :: row
  integer :: i, j
  total = 0.0d0
  !$acc parallel loop gang private(row) reduction(+:total) copyin(a) copyout(rows)
  do i = 1, n
    row = 0.0d0
    !$acc loop vector reduction(+:row)
    do j = 1, m
      row = row + a(j, i)
    end do
    rows(i) = row
    total = total + row
  end do
  !$acc kernels copyin(a)
  do i = 1, n
    total = total + a(1, i)
  end do
  !$acc end kernels
end subroutine
