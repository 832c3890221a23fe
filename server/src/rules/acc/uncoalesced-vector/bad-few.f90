! Known to be small: what its strides cost is less than the launch.
subroutine sponge(w, strength, nx, ny, layers)
  integer, intent(in) :: nx, ny, layers
  real(8), intent(inout) :: w(nx, ny, layers)
  real(8), intent(in) :: strength
  integer :: i, j
  !$acc kernels present(w)
  !$acc loop independent collapse(2)
  do i = 20, 60
    do j = 20, 60
!   ^^^^^^^^^^^^^ across hint
      w(i, j, 1) = strength + w(i, j, 1)
    end do
  end do
  !$acc end kernels
  !$acc kernels present(w)
  !$acc loop independent collapse(2)
  do i = 1, nx
    do j = 1, ny
!   ^^^^^^^^^^^^ across warning
      w(i, j, 1) = strength + w(i, j, 1)
    end do
  end do
  !$acc end kernels
end subroutine
