! How many loops are joined is a macro of the build, and may be all of them.
subroutine add(a, b, ni, nj, nk)
  implicit none
  integer, intent(in) :: ni, nj, nk
  real(8), intent(inout) :: a(ni, nj, nk)
  real(8), intent(in) :: b(ni, nj, nk)
  integer :: i, j, k
  !$acc parallel loop collapse(JOINED_LOOPS) present(a, b)
  do k = 1, nk
    do j = 1, nj
      do i = 1, ni
        a(i, j, k) = a(i, j, k) + b(i, j, k)
      end do
    end do
  end do
end subroutine add
