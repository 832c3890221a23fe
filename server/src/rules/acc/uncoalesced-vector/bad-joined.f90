! As many columns as it takes: lanes stay within a row of `j`.
subroutine columns(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(out) :: b(n, m)
  integer :: i, j
  !$acc parallel loop collapse(2) independent present(a, b)
  do i = 1, n
    do j = 1, m
!   ^^^^^^^^^^^ across
      b(i, j) = a(i, j)
    end do
  end do
end subroutine
