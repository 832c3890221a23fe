! Long rows, a length that fits, and a loop that no directive maps in a parallel construct.
subroutine sums(n, m, begin, v, s)
  implicit none
  integer, intent(in) :: n, m, begin(n + 1)
  real(8), intent(in) :: v(:)
  real(8), intent(inout) :: s(n)
  real(8) :: t, w(20)
  integer :: i, k
  !$acc parallel loop gang private(t) present(begin, v, s)
  do i = 1, n
    t = 0.0d0
    !$acc loop vector reduction(+:t)
    do k = begin(i), begin(i + 1) - 1
      t = t + v(k)
    end do
    s(i) = t
  end do
  w = 1.0d0
  !$acc parallel loop gang worker num_workers(8) vector_length(32) private(t) copyin(w) present(s)
  do i = 1, n
    t = 0.0d0
    !$acc loop vector reduction(+:t)
    do k = 1, m
      t = t + w(k)
    end do
    s(i) = s(i) + t
  end do
end subroutine
