! Lanes down the columns.
subroutine smooth(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real, intent(in) :: a(n, m)
  real, intent(out) :: b(n, m)
  integer :: i, j
  !$acc parallel loop gang present(a, b)
  do j = 2, m - 1
    !$acc loop vector
    do i = 2, n - 1
      b(i, j) = 0.5 * a(i, j) + 0.25 * (a(i, j - 1) + a(i, j + 1))
    end do
  end do
end subroutine
