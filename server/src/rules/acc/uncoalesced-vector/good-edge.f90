! Two columns at an edge: lanes take both of an `i` and go on along it, so that a warp reads two pieces of 16 neighbours.
subroutine edges(n, m, a, b)
  implicit none
  integer, parameter :: wide = 2
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(out) :: b(n, wide)
  integer :: i, j
  !$acc parallel loop collapse(2) independent present(a, b)
  do i = 1, n
    do j = 1, wide
      b(i, j) = a(i, m - wide + j)
    end do
  end do
end subroutine
