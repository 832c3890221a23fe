! A copy for each gang, which its lanes share.
subroutine scale(n, m, a)
  integer, intent(in) :: n, m
  real, intent(inout) :: a(n, m)
  real :: pair(2)
  integer :: i, k
  !$acc parallel copy(a) private(pair)
  !$acc loop gang vector
  do i = 1, n
    pair(1) = a(i, 1)
!   ^^^^^^^ private error
    pair(2) = a(i, 2)
    do k = 3, m
      a(i, k) = pair(1)*a(i, k) + pair(2)
    end do
  end do
  !$acc loop gang
  do i = 1, n
    pair(1) = a(i, 1)
    a(i, 2) = pair(1)
  end do
  !$acc end parallel
end subroutine
