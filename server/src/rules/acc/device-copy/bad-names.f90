! Variables that a routine has no copy of, private copies that nothing sets, and single elements for arrays.
module constants
  integer, parameter :: levels = 4
  integer :: cells
  real :: height, width
  !$acc declare create(width)
end module
module surface
contains
  function patch(x)
    !$acc routine seq
    use constants, only : cells, height, levels, width
    real, intent(in) :: x
    integer :: patch
    patch = 1 + int(x * cells / (height * width)) + levels
!                       ^^^^^ undeclared warning
!                                ^^^^^^ undeclared warning
  end function
  subroutine coarsen(t, n)
    integer, intent(in) :: n
    real, intent(inout) :: t(n)
    integer :: i
    real :: weights(3), scaled
    weights = 0.5
    !$acc parallel loop copy(t(n)) private(weights, scaled)
!                            ^^^^ one-element information
!                                          ^^^^^^^ unset warning
    do i = 1, n
      scaled = t(i) * weights(2)
      t(i) = scaled + patch(scaled)
    end do
  end subroutine
end module
