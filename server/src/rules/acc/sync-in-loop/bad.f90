! In kernels regions, with the queue that has no number.
subroutine run(n, steps, a, b)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: a(n), b(n)
  integer :: i, step
  !$acc data copy(a, b)
  do step = 1, steps
    !$acc kernels async
    do i = 1, n
      a(i) = a(i) + 0.5d0 * b(i)
    end do
    !$acc end kernels
    !$acc wait
!   ^^^^^^^^^^ wait-each-iteration
  end do
  do step = 1, steps
    !$acc parallel loop
!   ^^^^^^^^^^^^^^^^^^^ one-after-another
    do i = 1, n
      a(i) = 2.0d0 * a(i)
    end do
    !$acc kernels
    do i = 1, n
      b(i) = 3.0d0 * b(i)
    end do
    !$acc end kernels
  end do
  !$acc end data
end subroutine
