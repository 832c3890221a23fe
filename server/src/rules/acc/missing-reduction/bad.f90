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
  !$acc parallel loop copyin(a)
  do i = 1, n
    total = total + a(i)
!   ^^^^^ race warning
    most = max(most, a(i))
!   ^^^^ race
    every = every .and. a(i) > 0.0d0
!   ^^^^^ race
  end do
end subroutine
