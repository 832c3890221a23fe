! Around the steps of a program a copy is made once, wherever the constructs of a step stand.
module fields
  implicit none
  integer, parameter :: n = 4096
  real(8) :: depth(n), height(n)
contains
  subroutine advance
    integer :: i
    !$acc parallel loop present(depth, height)
    do i = 1, n
      height(i) = height(i) + depth(i)
    end do
  end subroutine

  subroutine settle
    integer :: i
    !$acc data copy(depth, height)
!                   ^^^^^ too-wide
    !$acc parallel loop
    do i = 1, n
      height(i) = height(i) + depth(i)
    end do
    !$acc end data
  end subroutine
end module

program steps
  use fields
  implicit none
  integer :: step
  depth = 1
  height = 0
  !$acc data copy(depth, height)
!                 ^^^^^ too-wide hint
  do step = 1, 1000
    call advance
  end do
  !$acc end data
  print *, height(1)
end program
