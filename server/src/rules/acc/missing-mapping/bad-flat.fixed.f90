! Gangs without a vector; the part for NVIDIA devices names its own levels.
subroutine shift(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(inout) :: b(n)
  real(8) :: half
  integer :: i
  !$acc parallel loop gang present(a, b) device_type(nvidia) vector
  do i = 1, n
    b(i) = a(i) + 1
  end do
  !$acc kernels loop independent present(a, b) private(half) device_type(nvidia) gang worker vector
  do i = 1, n
    half = 0.5d0 * a(i)
    b(i) = b(i) + half
  end do
end subroutine
