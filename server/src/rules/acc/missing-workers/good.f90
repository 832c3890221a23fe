! Workers by clause, and by the loop.
subroutine sums(n, begin, v, s)
  implicit none
  integer, intent(in) :: n, begin(n + 1)
  real(8), intent(in) :: v(:)
  real(8), intent(out) :: s(n)
  real(8) :: total
  integer :: i, k
  !$acc parallel loop present(begin, v, s) private(total) device_type(nvidia) gang worker num_workers(8) vector_length(32)
  do i = 1, n
    total = 0.0d0
    !$acc loop reduction(+:total) device_type(nvidia) vector
    do k = begin(i), begin(i + 1) - 1
      total = total + v(k)
    end do
    s(i) = total
  end do
  !$acc kernels present(begin, v, s)
  !$acc loop gang worker(4)
  do i = 1, n
    total = 0.0d0
    !$acc loop vector(32)
    do k = begin(i), begin(i + 1) - 1
      total = total + v(k)
    end do
    s(i) = total
  end do
  !$acc end kernels
end subroutine
