! Values that stay in a copy of each gang.
subroutine limits(a, n, found)
  integer :: n, i, last
  real :: a(n)
  logical :: found
  last = 0
  found = .false.
  !$acc parallel copyin(a) copy(last)
  last = n
  !$acc end parallel
  !$acc parallel loop copyin(a) copy(found)
  do i = 1, n
    if (a(i) > 1.0) found = .true.
  end do
  if (found) print *, last
end subroutine

subroutine kept(a, n)
  integer :: n, i, last
  real :: a(n), t
  !$acc parallel loop copy(a)
  do i = 1, n
    t = a(i)
    a(i) = t * t
  end do
  t = 1.0
  !$acc kernels copy(a)
  last = n
  !$acc end kernels
  print *, last, t
end subroutine
