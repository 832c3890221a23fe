! The host asks for two elements of an array that is copied as a whole.
subroutine fluxes(columns, layers, pressure, flux)
  integer, intent(in) :: columns, layers
  real(8), intent(inout) :: pressure(columns, layers), flux(columns, layers)
  logical :: isFromTop
  integer :: i, k
  !$acc update host(pressure)
!                   ^^^^^^^^ few-elements
  isFromTop = pressure(1, 1) < pressure(1, layers)
  !$acc parallel loop collapse(2) present(pressure, flux)
  do k = 1, layers
    do i = 1, columns
      flux(i, k) = merge(pressure(i, k), pressure(i, layers + 1 - k), isFromTop)
      pressure(i, k) = pressure(i, k) * 1.001d0
    end do
  end do
end subroutine
