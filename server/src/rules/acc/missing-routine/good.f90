! Directives among the declarations; intrinsics; calls of the host.
module curves
  implicit none
contains
  real(8) function square(x)
    !$acc routine seq
    real(8), intent(in) :: x
    square = x * x
  end function

  subroutine report(x)
    real(8), intent(in) :: x
    print *, x
  end subroutine

  subroutine all(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !$acc parallel loop copy(x)
    do i = 1, n
      x(i) = square(sin(x(i)))
    end do
    call report(x(1))
  end subroutine
end module
