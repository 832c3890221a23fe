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

! Two names for one memory.
subroutine shared(n, c)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: c(1000)
  real :: b(1000), d(1000)
  integer :: i
  equivalence (b(1), d(1))
  b = c
  !$acc parallel loop copy(b)
  do i = 1, 1000
    d(i) = b(i) + c(i)
  end do
  print *, b(n)
end subroutine
