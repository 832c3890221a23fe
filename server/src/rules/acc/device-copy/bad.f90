! Copies on the GPU that are not there, or not the newest.
module fields
  integer :: first, last
  real, allocatable :: q(:)
  !$acc declare create(first, last)
contains
  subroutine setup(n)
    integer :: n
    first = 1
    last = n
!   ^^^^ not-updated warning
    !$acc update device(first)
  end subroutine

  subroutine run(a)
    real :: a(:)
    integer :: i
    !$acc parallel loop present(a)
    do i = first, last
      a(i) = a(i) + last
    end do
  end subroutine

  subroutine finish()
    deallocate(q)
    !$acc exit data delete(q)
!                          ^ freed-before error
  end subroutine

  subroutine scale(b, n, dt)
    integer :: n, i
    real, pointer :: dt
    real :: b(n)
    !$acc parallel loop default(present)
!                       ^^^^^^^^^^^^^^^^ not-present warning
    do i = 1, n
      b(i) = b(i) * dt
    end do
  end subroutine
end module
