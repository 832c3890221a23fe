! A gang of 2048 threads, with a constant that has a name.
subroutine scale(n, m, a)
  implicit none
  integer, parameter :: lanes = 128
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(m, n)
  integer :: i, j
  !$acc parallel num_workers(16) vector_length(lanes) copy(a)
!                            ^^ too-many-threads
  !$acc loop gang worker
  do i = 1, n
    !$acc loop vector
    do j = 1, m
      a(j, i) = 2.0d0 * a(j, i)
    end do
  end do
  !$acc end parallel
end subroutine
