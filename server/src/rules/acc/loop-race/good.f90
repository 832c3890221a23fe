! Values that stay in one iteration, and sums that have one to themselves.
subroutine columns(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(m, n), b(n)
  real :: div(m)
  integer :: i, k
  !$acc parallel loop gang vector private(div) default(present)
  do i = 1, n
    do k = 1, m
      div(k) = a(k, i) * 2.0
    end do
    b(i) = 0.0
    do k = 2, m
      a(k, i) = a(k - 1, i) + div(k)
      b(i) = b(i) + a(k, i)
    end do
  end do
  !$acc parallel loop default(present)
  do i = 1, n
    if (i == 1) b(1) = b(1) + 1.0
  end do
end subroutine
