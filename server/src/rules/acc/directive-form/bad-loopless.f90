! Directives for a loop before anything else, as where the loop was commented out: the end is not at fault.
subroutine scale(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
!$acc parallel loop copy(a)
!     ^^^^^^^^^^^^^ loop-missing error
! do i = 1, n
    a(1) = 2 * a(1)
! end do
!$acc end parallel loop
!$acc data copy(a, b)
!$acc kernels loop
!     ^^^^^^^^^^^^ loop-missing
  if (n > 1) then
    b(1) = 3 * b(1)
  end if
!$acc end kernels loop
!$acc parallel loop
!     ^^^^^^^^^^^^^ loop-missing
!$acc end parallel
!$acc parallel
!$acc loop
!     ^^^^ loop-missing
    b(1) = a(1)
!$acc end loop
!$acc end parallel
!$acc end data
!$acc parallel loop copy(a)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc end parallel loop
!$acc end parallel loop
!     ^^^^^^^^^^^^^^^^^ unmatched-end
end subroutine
