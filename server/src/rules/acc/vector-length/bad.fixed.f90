! Rows of a compressed matrix in Fortran, in both forms: the builder stands in the same module.
module sparse
  implicit none
  type :: rows
    integer :: n
    integer, pointer :: first(:), col(:)
    real(8), pointer :: val(:)
  end type
contains
  subroutine build(m, width)
    type(rows), intent(inout) :: m
    integer, intent(in) :: width
    integer, pointer :: start(:)
    integer :: i, k, at
    start => m%first
    at = 1
    do i = 1, m%n
      start(i) = at
      do k = -3, 3
        if (i + k * width >= 1 .and. i + k * width <= m%n) then
          m%col(at) = i + k * width
          m%val(at) = 1.0d0 / (4 + k)
          at = at + 1
        end if
      end do
    end do
    start(m%n + 1) = at
  end subroutine

  subroutine multiply(m, x, y)
    type(rows), intent(in) :: m
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    integer, pointer :: first(:), col(:)
    real(8), pointer :: val(:)
    integer :: i, k, from, to
    real(8) :: total
    first => m%first
    col => m%col
    val => m%val
    !$acc parallel loop gang worker num_workers(4) private(total, from, to) &
    !$acc& present(first, col, val, x, y) vector_length(32)
    do i = 1, m%n
      total = 0.0d0
      from = first(i)
      to = first(i + 1) - 1
      !$acc loop reduction(+:total) vector
      do k = from, to
        total = total + val(k) * x(col(k))
      end do
      y(i) = total
    end do
  end subroutine

  subroutine multiplyByKernels(m, x, y)
    type(rows), intent(in) :: m
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(:)
    integer, pointer :: first(:), col(:)
    real(8), pointer :: val(:)
    integer :: i, k
    real(8) :: total
    first => m%first
    col => m%col
    val => m%val
    !$acc kernels present(first, col, val, x, y)
    !$acc loop independent gang worker(4)
    do i = 1, m%n
      total = 0.0d0
      !$acc loop vector(32)
      do k = first(i), first(i + 1) - 1
        total = total + val(k) * x(col(k))
      end do
      y(i) = total
    end do
    !$acc end kernels
  end subroutine
end module
