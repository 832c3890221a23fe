! Called in three constructs of two procedures: told in each procedure once.
module fluxes
  implicit none
contains
  real function upwind(left, right, small)
    real, intent(in) :: left, right
    !$acc routine seq
    double precision, intent(in) :: small
    upwind = left + (right - left) / sign(sngl(small), right)
  end function

  subroutine east(n, a, f)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(out) :: f(n)
    integer :: i
    !$acc parallel loop copyin(a) copyout(f)
    do i = 1, n - 1
      f(i) = upwind(a(i), a(i + 1), 1.0d-9)
    end do
    !$acc parallel loop copyin(a) copy(f)
    do i = 2, n
      f(i) = f(i) - upwind(a(i - 1), a(i), 1.0d-9)
    end do
  end subroutine

  subroutine west(n, a, f)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(out) :: f(n)
    integer :: i
    !$acc parallel loop copyin(a) copyout(f)
    do i = 2, n
      if (0 == n) then
        f(i) = 0.0
      else
        f(i) = upwind(a(i), a(i - 1), 1.0d-9)
      end if
    end do
  end subroutine
end module
