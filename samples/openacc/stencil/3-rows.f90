! Stage 3: the lanes of a warp walk along a column, over neighbouring elements.
include "../problem.inc"

module heat
  use problem
  implicit none
contains
  ! One step of heat flow on a square grid: each inner point becomes the mean of its neighbours.
  subroutine step(n, from, to)
    integer, intent(in) :: n
    real(dp), intent(in) :: from(0:n, 0:n)
    real(dp), intent(inout) :: to(0:n, 0:n)
    integer :: row, column
    !$acc parallel loop gang vector_length(128) present(from, to)
    do column = 1, n - 1
      !$acc loop vector
      do row = 1, n - 1
        to(row, column) = 0.25_dp * (from(row - 1, column) + from(row + 1, column) + from(row, column - 1) + from(row, column + 1))
      end do
    end do
  end subroutine
end module

program stencil
  use problem
  use heat
  implicit none
  integer, parameter :: steps = 10
  real(dp), allocatable :: grid(:, :), next(:, :)
  real(dp) :: times(steps), pi, begin
  integer :: n, row, column, each
  n = wanted(4096)
  pi = acos(-1.0_dp)
  allocate(grid(0:n, 0:n), next(0:n, 0:n))
  do column = 0, n
    do row = 0, n
      grid(row, column) = sin(pi * row / n) * sin(pi * column / n)
    end do
  end do
  next = 0.0_dp
  !$acc data copy(grid) copyin(next)
  do each = 1, steps
    begin = now()
    call step(n, grid, next)
    call step(n, next, grid)
    times(each) = (now() - begin) / 2
  end do
  !$acc end data
  ! The sines keep their shape: each step scales them by the cosine of the grid's spacing.
  call verdict(sum(grid**2), 0.25_dp * n * n * cos(pi / n)**(4 * steps), median(times))
end program
