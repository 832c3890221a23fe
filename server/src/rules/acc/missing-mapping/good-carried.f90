! Inner loops that look independent and are not: what they leave behind is used, a component adds up, a whole array is read.
subroutine carried(n, m, a, b, r)
  implicit none
  type :: total
    real(8) :: v
  end type
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(m, n), b(m, n), r(n)
  type(total) :: all
  integer :: i, j, last
  !$acc parallel loop private(last) present(b, r)
  do j = 1, n
    do i = 1, m
      last = i
      b(i, j) = last
    end do
    r(j) = last + i
  end do
  !$acc parallel loop private(all) present(b, r)
  do j = 1, n
    all%v = 0.0d0
    do i = 1, m
      all%v = all%v + b(i, j)
    end do
    r(j) = all%v
  end do
  !$acc parallel loop present(a)
  do j = 1, n
    do i = 1, m
      a(i, j) = sum(a) + i
    end do
  end do
end subroutine
