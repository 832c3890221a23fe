! Ways within a region, loops one iteration after the other, and constructs of the host beside it.
subroutine shapes(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(n, m)
  real :: top
  integer :: i, j, k, l
  top = 0
  do l = 1, 3
    !$acc parallel loop collapse(2) copy(a) reduction(max: top)
    do j = 1, m
      inner: do i = 1, n
        if (a(i, j) < 0) cycle inner
        do k = 1, m
          if (a(i, k) > 1) exit
        end do
        top = max(top, a(i, j))
        !$acc atomic update
        a(1, 1) = 2 + A (1, 1)
      end do inner
    end do
    if (top > 4) exit
  end do
  if (top > 5) return
  !$acc parallel loop gang copy(a)
  do j = 1, m
    !$acc cache(a(:, j))
    if (a(1, j) > 2) go to 20
    a(1, j) = 1
20  continue
  end do
end subroutine
