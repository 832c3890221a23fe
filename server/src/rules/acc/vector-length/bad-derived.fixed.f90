! A derived type whose values come from intrinsics.
module matrices
  implicit none
  type :: sparse
    integer :: rows
    integer, allocatable :: first(:), column(:)
    real(8), allocatable :: values(:)
  end type
contains
  subroutine fill(matrix)
    class(sparse), intent(inout) :: matrix
    integer :: row, k, entries
    entries = 1
    do row = 1, matrix%rows
      matrix%first(row) = entries
      do k = -3, 3
        if (row + k >= 1 .and. row + k <= matrix%rows) then
          matrix%column(entries) = row + k
          matrix%values(entries) = merge(7.0d0, dble(-k), k == 0)
          entries = entries + 1
        end if
      end do
    end do
    matrix%first(matrix%rows + 1) = entries
  end subroutine

  subroutine multiply(matrix, x, y)
    class(sparse), intent(in) :: matrix
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    integer :: row, k
    real(8) :: total
    !$acc parallel loop gang private(total) present(matrix, x, y) vector_length(32)
    do row = 1, matrix%rows
      total = 0
      !$acc loop vector reduction(+:total)
      do k = matrix%first(row), matrix%first(row + 1) - 1
        total = total + matrix%values(k) * x(matrix%column(k))
      end do
      y(row) = total
    end do
  end subroutine
end module
