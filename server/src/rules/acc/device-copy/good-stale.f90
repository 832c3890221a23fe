! Parts, types with procedures, a conditional update, and a second entry.
module states
  type state
    real, allocatable :: x(:)
  contains
    procedure :: init
  end type
contains
  subroutine init(self, n)
    class(state), intent(inout) :: self
    integer, intent(in) :: n
    allocate(self%x(n))
    !$acc enter data copyin(self)
    !$acc enter data copyin(self%x)
  end subroutine
  subroutine twice(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    !$acc data copy(a)
    !$acc parallel loop
    do i = 1, n
      a(i) = 2.0 * a(i)
    end do
    !$acc end data
  end subroutine
end module

program main
  use states
  type(state) :: s
  real :: a(100), edge(100)
  integer :: i
  call s%init(100)
  !$acc parallel loop present(s)
  do i = 1, 100
    s%x(i) = i
  end do
  !$acc exit data delete(s%x)
  !$acc exit data delete(s)
  a = 1.0
  edge = 0.0
  call twice(a, 100)
  print *, a
  !$acc data copy(edge)
  !$acc parallel loop
  do i = 2, 99
    edge(i) = i
  end do
  print *, edge(1), edge(100)
  !$acc end data
end program
