! Fortran's update host.
subroutine run(n, steps, field)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: field(n)
  integer :: i, step
  !$acc data copy(field)
  do step = 1, steps
    !$acc parallel loop
    do i = 1, n
      field(i) = 0.5d0 * field(i)
    end do
    !$acc update host(field)
!                     ^^^^^ to-host
  end do
  print *, field(1)
  !$acc end data
end subroutine
