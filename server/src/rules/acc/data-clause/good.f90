! Bounds that the loop does not reach, an array that is read first, and sections.
subroutine parts(n, m, a, b, c, total)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(0:n), b(n), c(n)
  real(8), intent(inout) :: total(3)
  integer :: i
  !$acc parallel loop copy(a, b, c(1:m), total)
  do i = 1, n
    a(i) = 1.0d0
    b(i) = b(i) + c(m)
    c(m) = 2.0d0
    total(2) = total(1)
  end do
end subroutine
