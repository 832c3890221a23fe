! A data region around the loop, an array that the host reads in it, and dummies whose caller may keep them on the GPU.
module work
  implicit none
contains
  subroutine smooth(field)
    real(8), intent(inout) :: field(:)
    integer :: i
    !$acc parallel loop
    do i = 1, size(field)
      field(i) = 0.5d0 * field(i)
    end do
  end subroutine
end module

program steps
  use work
  implicit none
  real(8), allocatable :: a(:), b(:)
  integer :: step, i
  allocate(a(1000), b(1000))
  a = 1.0d0
  b = 2.0d0
  !$acc data copy(a)
  do step = 1, 100
    call smooth(a)
    !$acc kernels
    do i = 1, 1000
      a(i) = a(i) + 1.0d0
    end do
    !$acc end kernels
  end do
  !$acc end data
  do step = 1, 100
    !$acc parallel loop
    do i = 1, 1000
      b(i) = b(i) + 1.0d0
    end do
    print *, b(step)
  end do
end program
