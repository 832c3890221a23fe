! Copies that the loop sets first, elements that are all that is used, and a routine of the host.
module work
  real :: total
contains
  subroutine add(x)
    !$acc routine bind(add_on_gpu)
    real, intent(in) :: x
    total = total + x
  end subroutine
  subroutine fill(part, x)
    !$acc routine seq
    real, intent(out) :: part(2)
    real, intent(in) :: x
    part(1) = x
    part(2) = -x
  end subroutine
  subroutine run(t, ends, n)
    integer, intent(in) :: n
    real, intent(inout) :: t(n), ends(n)
    integer :: i
    real :: part(2)
    !$acc parallel loop copy(t) copyin(ends(n)) private(part)
    do i = 1, n
      call fill(part, t(i))
      t(i) = part(1) * part(2) + ends(n)
    end do
  end subroutine
end module
