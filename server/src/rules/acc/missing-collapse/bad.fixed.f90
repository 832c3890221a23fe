! Three components outside, a whole field inside; the bounds are those of the arrays.
subroutine scale(n, u)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n, n, 3)
  integer :: i, j, c
  !$acc parallel loop gang present(u) collapse(2)
  do c = 1, 3
    do j = 1, n
      !$acc loop vector
      do i = 1, n
        u(i, j, c) = 2.0d0 * u(i, j, c)
      end do
    end do
  end do
end subroutine
