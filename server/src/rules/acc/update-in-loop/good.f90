! The host prints what came.
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
    !$acc update host(field(1:1))
    print *, field(1)
  end do
  !$acc end data
end subroutine
