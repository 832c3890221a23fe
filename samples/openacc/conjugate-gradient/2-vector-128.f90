! Stage 2 as nvfortran maps it, its 128 lanes written out: GCC takes 32 of itself.
include "../problem.inc"

module solver
  use problem
  implicit none
contains
  subroutine multiply(rows, nonzeros, rowStart, columns, values, x, y)
    integer, intent(in) :: rows, nonzeros, rowStart(rows + 1), columns(nonzeros)
    real(dp), intent(in) :: values(nonzeros), x(rows)
    real(dp), intent(out) :: y(rows)
    integer :: row, entry
    real(dp) :: total
    !$acc parallel loop gang vector_length(128) private(total) present(rowStart, columns, values, x, y)
    do row = 1, rows
      total = 0.0_dp
      ! warplens: trip <= 27
      !$acc loop vector reduction(+:total)
      do entry = rowStart(row), rowStart(row + 1) - 1
        total = total + values(entry) * x(columns(entry))
      end do
      y(row) = total
    end do
  end subroutine

  real(dp) function innerProduct(n, a, b)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n), b(n)
    real(dp) :: total
    integer :: i
    total = 0.0_dp
    !$acc parallel loop gang vector reduction(+:total) present(a, b)
    do i = 1, n
      total = total + a(i) * b(i)
    end do
    innerProduct = total
  end function

  ! y = y + alpha * x
  subroutine add(n, alpha, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: alpha, x(n)
    real(dp), intent(inout) :: y(n)
    integer :: i
    !$acc parallel loop gang vector present(x, y)
    do i = 1, n
      y(i) = y(i) + alpha * x(i)
    end do
  end subroutine

  ! y = x + beta * y
  subroutine scaleAndAdd(n, beta, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: beta, x(n)
    real(dp), intent(inout) :: y(n)
    integer :: i
    !$acc parallel loop gang vector present(x, y)
    do i = 1, n
      y(i) = x(i) + beta * y(i)
    end do
  end subroutine
end module

program conjugateGradient
  use problem
  use solver
  implicit none
  integer, parameter :: most = 50
  integer, allocatable :: rowStart(:), columns(:)
  real(dp), allocatable :: values(:), x(:), r(:), p(:), q(:)
  real(dp) :: times(most), rr, next, alpha, enough, begin
  integer :: n, row, iterations
  call createMatrix(wanted(100), rowStart, columns, values)
  n = size(rowStart) - 1
  allocate(x(n), r(n), p(n), q(n))
  ! The solution is 1 everywhere: the right-hand side is the sum of each row.
  do row = 1, n
    x(row) = 0.0_dp
    r(row) = sum(values(rowStart(row):rowStart(row + 1) - 1))
    p(row) = r(row)
  end do
  iterations = 0
  !$acc data copyin(rowStart, columns, values, r, p) copy(x) create(q)
  rr = innerProduct(n, r, r)
  enough = 1e-18_dp * rr
  do while (rr > enough .and. iterations < most)
    begin = now()
    call multiply(n, size(values), rowStart, columns, values, p, q)
    iterations = iterations + 1
    times(iterations) = now() - begin
    alpha = rr / innerProduct(n, p, q)
    call add(n, alpha, p, x)
    call add(n, -alpha, q, r)
    next = innerProduct(n, r, r)
    call scaleAndAdd(n, next / rr, r, p)
    rr = next
  end do
  !$acc end data
  print '(a, i0)', 'iterations ', iterations
  call verdict(sum(x), real(n, dp), median(times(1:iterations)))
end program
