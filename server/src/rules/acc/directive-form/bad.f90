! Ends without beginnings, and a beginning without its end.
subroutine scale(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
!$acc parallel copy(a)
!$acc loop
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc end kernels
!     ^^^^^^^^^^^ unmatched-end
!$acc end parallel
!$acc data copy(a)
!     ^^^^ missing-end
  a(1) = 0
end subroutine
