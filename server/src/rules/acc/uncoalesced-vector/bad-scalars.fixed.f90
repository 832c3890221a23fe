! Joined loops whose body sets scalars before it reads them.
subroutine derive(u, v, nx, ny, nh, lx, ly)
  implicit none
  integer, intent(in) :: nx, ny, nh
  complex(8), intent(in) :: u(nh, ny)
  complex(8), intent(out) :: v(nh, ny)
  real(8), intent(in) :: lx, ly
  real(8) :: kx, ky
  integer :: i, j
  !$acc parallel loop collapse(2) present(u, v)
  do j = ny / 2 + 1, ny
    do i = 1, nx / 2 + 1
      kx = 2.0d0 * dble(i - 1) / lx
      ky = 2.0d0 * dble(j - 1 - ny) / ly
      v(i, j) = (0.0d0, 1.0d0) * (kx + ky) * u(i, j)
    end do
  end do
end subroutine
