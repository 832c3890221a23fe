! A module procedure and one that it calls.
module curves
  implicit none
contains
  real(8) function square(x)
    real(8), intent(in) :: x
    square = x * x
  end function

  subroutine bend(x, y)
    real(8), intent(in) :: x
    real(8), intent(out) :: y
    y = square(x) + 1.0d0
  end subroutine

  subroutine bendAll(n, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(out) :: y(n)
    integer :: i
    !$acc kernels copyin(x) copyout(y)
    do i = 1, n
      call bend(x(i), y(i))
!          ^^^^ not-for-device
    end do
    !$acc end kernels
  end subroutine
end module
