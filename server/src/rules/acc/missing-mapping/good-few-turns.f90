! Four iterations outside of a long loop: the loops are to be joined, and a directive between them would forbid it.
subroutine halo(n, state)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: state(n, 0:8, 4)
  integer :: i, l
  !$acc parallel loop
  do l = 1, 4
    do i = 1, n
      state(i, 0, l) = state(i, 1, l)
    end do
  end do
end subroutine halo
