! A blank line between `implicit none` and the declarations: the directive stands in their column.
module search
contains
  integer function place_of(values, n, wanted)

    implicit none

    integer, intent(in) :: n
    real, intent(in) :: values(n), wanted

    place_of = 1
    do while (place_of < n .and. values(place_of) < wanted)
      place_of = place_of + 1
    end do
  end function place_of

  subroutine places(values, n, wanted, found, m)
    integer, intent(in) :: n, m
    real, intent(in) :: values(n), wanted(m)
    integer, intent(out) :: found(m)
    integer :: i
    !$acc parallel loop copyin(values, wanted) copyout(found)
    do i = 1, m
      found(i) = place_of(values, n, wanted(i))
!                ^^^^^^^^ not-for-device
    end do
  end subroutine places
end module search
