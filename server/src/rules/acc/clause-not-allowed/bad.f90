! The end takes no clauses, and a loop no copies.
subroutine scale(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
!$acc parallel async(1)
!$acc loop copy(a) &
!          ^^^^ not-allowed
!$acc& gang vector
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc end parallel async(1)
!                  ^^^^^ not-allowed
end subroutine
