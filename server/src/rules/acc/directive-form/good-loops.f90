! Loops in all forms after their directives.
subroutine scale(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
!$acc parallel loop copy(a)

  ! each element
  outer: do i = 1, n
    a(i) = 2 * a(i)
  end do outer
!$acc end parallel loop
!$acc parallel loop copy(a)
  do 10 i = 1, n
    a(i) = 3 * a(i)
10 continue
!$acc parallel copy(a)
!$acc loop
  do i = 1, n
    a(i) = 4 * a(i)
  end do
!$acc end loop
!$acc end parallel
end subroutine
