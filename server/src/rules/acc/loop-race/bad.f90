! The same in Fortran: particles that add to the cells that they are in, levels that all rows add to, scratch columns.
subroutine deposit(n, m, cell, level, charge, field, mean)
  implicit none
  integer, intent(in) :: n, m
  integer, intent(in) :: cell(n), level(n)
  real, intent(in) :: charge(n)
  real, intent(inout) :: field(m, m), mean(m)
  integer :: p, i, k
  !$acc parallel loop gang vector default(present)
  do p = 1, n
    i = cell(p)
    k = level(p)
    field(i, k) = field(i, k) + charge(p)
!   ^^^^^^^^^^^ scattered warning
  end do
  !$acc parallel loop collapse(2) default(present)
  do k = 1, m
    do i = 1, m
      mean(k) = mean(k) + field(i, k) / m
!     ^^^^^^^ element error
    end do
  end do
end subroutine

subroutine columns(n, m, a)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(m, n)
  real :: div(m)
  integer :: i, k
  !$acc parallel default(present)
  !$acc loop gang
  do i = 1, n
    !$acc loop vector
    do k = 1, m
      div(k) = a(k, i) * 2.0
!     ^^^^^^ private error
    end do
    !$acc loop vector
    do k = 1, m - 1
      a(k, i) = div(k) - div(k + 1)
    end do
  end do
  !$acc end parallel
end subroutine

integer function positive(n, a)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n)
  integer :: i
  positive = 0
  !$acc parallel loop copyin(a)
  do i = 1, n
    if (a(i) > 0.0) then
      !$acc atomic write
      positive = 1
!     ^^^^^^^^ lost
    end if
  end do
end function
