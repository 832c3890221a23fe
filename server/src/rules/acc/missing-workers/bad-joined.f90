! The loop over gangs is two loops that collapse joins.
subroutine weigh(neighbour, x, weight, atoms, most)
  implicit none
  integer, intent(in) :: atoms, most, neighbour(most, atoms)
  real(8), intent(in) :: x(most, atoms)
  real(8), intent(out) :: weight(most, atoms)
  real(8) :: total
  integer :: atom, near, other
  !$acc parallel loop collapse(2) vector_length(32) present(neighbour, x, weight)
  do atom = 1, atoms
! ^^^^^^^^^^^^^^^^^^ one-warp
    do near = 1, most
      total = 0
      !$acc loop reduction(+:total)
      do other = 1, most
        total = total + x(other, atom) * neighbour(other, atom)
      end do
      weight(near, atom) = total
    end do
  end do
end subroutine
