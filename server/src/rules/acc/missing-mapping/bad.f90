! The same in Fortran, where a column is what lies along memory.
subroutine norms(n, m, a, norm)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m, n)
  real(8), intent(out) :: norm(n)
  real(8) :: total, square
  integer :: i, j
  !$acc parallel loop private(total) present(a, norm)
  do i = 1, n
! ^^^^^^^^^^^ inner-unmapped
    total = 0.0d0
    do j = 1, m
      square = a(j, i)**2
      total = total + square
    end do
    norm(i) = total
  end do
end subroutine

subroutine fill(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: a(n)
  integer :: i
  !$acc parallel present(a)
  do i = 1, n
! ^^^^^^^^^^^ redundant
    a(i) = 1.0d0
  end do
  !$acc end parallel
end subroutine

! Workers, and lanes that get nothing.
subroutine columns(cells, levels, a, b)
  implicit none
  integer, intent(in) :: cells, levels
  real(8), intent(in) :: b(levels, cells)
  real(8), intent(inout) :: a(levels, cells)
  integer :: c, k
  !$acc parallel num_workers(8) vector_length(32) present(a, b)
  !$acc loop gang worker
  do c = 1, cells
! ^^^^^^^^^^^^^^^ idle-lanes
    do k = 2, levels
      a(k, c) = b(k, c) - b(k - 1, c)
    end do
    a(1, c) = 0.0d0
  end do
  !$acc end parallel
end subroutine
