! Accumulations across the iterations of parallel loops in Fortran's words.
subroutine measures(n, a, total, most, every)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: total, most
  logical, intent(out) :: every
  integer :: i
  total = 0.0d0
  most = 0.0d0
  every = .true.
  !$acc parallel loop copyin(a) reduction(+:total) reduction(max:most) reduction(.and.:every)
  do i = 1, n
    total = total + a(i)
    most = max(most, a(i))
    every = every .and. a(i) > 0.0d0
  end do
end subroutine
