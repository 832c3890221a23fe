! A short loop that no directive names, inside loops that one shares out: each lane runs it by itself.
subroutine clear(rates, dens, nk, ni, nj, nq)
  implicit none
  integer, intent(in) :: nk, ni, nj, nq
  real(8), intent(inout) :: rates(nk, ni, nj, nq), dens(nk, ni, nj)
  integer :: k, i, j, q
  !$acc kernels
  !$acc loop collapse(2) independent
  do j = 1, nj
    do i = 1, ni
      if (dens(1, i, j) > 0.0d0) then
        do k = 1, nk
          dens(k, i, j) = 0.0d0
          do q = 1, nq
            rates(k, i, j, q) = 0.0d0
          end do
        end do
      end if
    end do
  end do
  !$acc end kernels
end subroutine clear
