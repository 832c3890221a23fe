! Procedures of other files, as an interface describes them.
subroutine apply(n, a, other)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i
  interface
    subroutine bare(x)
      real, intent(inout) :: x
    end subroutine
    subroutine marked(x)
      !$acc routine seq
      real, intent(inout) :: x
    end subroutine
    subroutine named(x)
      real, intent(inout) :: x
    end subroutine
    subroutine other(x)
      real, intent(inout) :: x
    end subroutine
    subroutine lanes(x)
      !$acc routine vector
      real, intent(inout) :: x
    end subroutine
  end interface
  abstract interface
    subroutine shape(x)
      real, intent(inout) :: x
    end subroutine
  end interface
  procedure(shape), pointer :: at
  !$acc routine(named) seq
  !$acc parallel loop gang vector copy(a)
  do i = 1, n
    call bare(a(i))
!        ^^^^ not-for-device warning
    call marked(a(i))
    call named(a(i))
    call other(a(i))
  end do
  !$acc parallel loop gang copy(a)
  do i = 1, n
    call lanes(a(i))
  end do
end subroutine
