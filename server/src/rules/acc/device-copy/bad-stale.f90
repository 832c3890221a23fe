! Copies out of step through the procedures of a module.
module collision
  real, allocatable :: g(:)
contains
  subroutine clear()
    !$acc exit data delete(g)
    if (allocated(g)) deallocate(g)
  end subroutine
  subroutine scale(w, n)
    integer, intent(in) :: n
    real, intent(inout) :: w(n)
    integer :: i
    !$acc parallel loop present(w)
    do i = 1, n
      w(i) = w(i) * 0.5
    end do
  end subroutine
end module

program main
  use collision
  integer, parameter :: n = 1000
  real, allocatable :: w(:)
  integer :: b
  call clear()
!      ^^^^^^^ no-effect information
  allocate(w(n))
  !$acc enter data create(w)
  w = 1.0
  !$acc update device(w)
  do b = n / 2, n
    w(b) = 2.0
  end do
  call scale(w, n)
!      ^^^^^^^^^^^ device-stale warning
  print *, sum(w)
!              ^ host-stale warning
  !$acc exit data delete(w)
end program
