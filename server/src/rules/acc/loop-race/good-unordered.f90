! Each column is one gang's in both loops, and each gang has its row.
subroutine columns(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(m, n), b(m, n)
  real :: row(m)
  integer :: i, k
  !$acc parallel default(present) private(row)
  !$acc loop gang
  do i = 1, n
    !$acc loop vector
    do k = 1, m
      a(k, i) = b(k, i) * 2.0
      row(k) = a(k, i)
    end do
  end do
  !$acc loop gang
  do i = 1, n
    !$acc loop vector
    do k = 2, m
      b(k, i) = a(k - 1, i) + a(m, i) + row(m + 1 - k)
    end do
  end do
  !$acc end parallel
end subroutine
