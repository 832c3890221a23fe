! A sum that each iteration of two loops updates atomically.
subroutine total(a, n, m, s)
  integer, intent(in) :: n, m
  real, intent(in) :: a(n, m)
  real, intent(inout) :: s
  integer :: i, j
  !$acc parallel loop collapse(2) copyin(a) copy(s)
  do j = 1, m
    do i = 1, n
      !$acc atomic update
      s = s + a(i, j)
!     ^ atomic information
      !$acc end atomic
    end do
  end do
end subroutine
