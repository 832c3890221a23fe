! The end of half of a combined construct.
subroutine halve(avg, n, m)
  integer, intent(in) :: n, m
  real, intent(inout) :: avg(n, m)
  integer :: i, k
  !$acc parallel loop gang vector collapse(2) copy(avg)
  do k = 1, m
    do i = 1, n
      avg(i, k) = avg(i, k) * 0.5
    end do
  end do
  !$acc end parallel
!       ^^^^^^^^^^^^ short-end information
  !$acc parallel loop gang vector collapse(2) copy(avg)
  do k = 1, m
    do i = 1, n
      avg(i, k) = avg(i, k) + 1.0
    end do
  end do
  !$acc end parallel loop
end subroutine
