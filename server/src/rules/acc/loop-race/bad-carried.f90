! The row above, in the loop over the rows.
subroutine decay(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(m, n)
  integer :: i, k
  !$acc parallel default(present)
  !$acc loop gang vector
  do k = 2, m
    do i = 1, n
      a(k, i) = a(k - 1, i) * 0.5
!     ^^^^^^^ carried
    end do
  end do
  !$acc end parallel
end subroutine
