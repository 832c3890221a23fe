! Directives that govern or hold what they cannot.
subroutine shapes(n, a)
  implicit none
  integer, intent(inout) :: n
  real, intent(inout) :: a(n)
  real :: s
  integer :: i, j
  !$acc cache(a)
!       ^^^^^ misplaced error
  !$acc data copy(a)
  if (n > 5) goto 10
!            ^^^^^^^ branch error
  !$acc parallel loop
  do i = 1, n
    if (a(i) < 0) exit
!                 ^^^^ branch error
  end do
  outer: do j = 1, n
    !$acc parallel
    if (a(j) > 3) cycle outer
!                 ^^^^^^^^^^^ branch error
    !$acc end parallel
  end do outer
  !$acc end data
10 continue
  !$acc parallel loop copy(a)
!       ^^^^^^^^^^^^^ form error
  do while (n > 0)
    n = n - 1
  end do
  !$acc parallel loop copy(a)
!       ^^^^^^^^^^^^^ form error
  do s = 1, 4
    a(1) = 0
  end do
end subroutine
subroutine late(n, a)
  integer, intent(inout) :: n
  real, intent(inout) :: a(n)
  a(1) = 0
  call shapes(n, a)
  !$acc declare create(a)
!       ^^^^^^^ misplaced error
end subroutine
