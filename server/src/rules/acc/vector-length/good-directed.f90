! In a kernels construct the lanes go to the loop that a directive leaves to the compiler, not to the four elements of a
! private block inside it.
subroutine blocks(n, m, r, d, z)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: r(n, m), d(n, m)
  real(8), intent(out) :: z(n, m)
  real(8) :: part(0:3)
  integer :: i, j, k, first, last
  !$acc kernels
  !$acc loop independent
  do j = 1, m, 4
    first = j
    last = min(j + 3, m)
    !$acc loop independent private(part)
    do i = 1, n
      part(0) = r(i, first) / d(i, first)
      do k = first + 1, last
        part(k - first) = r(i, k) + part(k - first - 1)
      end do
      do k = first, last
        z(i, k) = part(k - first)
      end do
    end do
  end do
  !$acc end kernels
end subroutine
