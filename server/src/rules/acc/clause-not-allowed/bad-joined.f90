! A line that goes on in front of the next directive. A continuation line of its mark alone ends the directive.
subroutine send(a, b, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(n), b(n)
!$acc data create(a) &
!$acc update device(a(1:n)) async(1)
!     ^^^^^^ begins
!$acc end data
!$acc data create(a) &
!$acc&

!$acc update device(a(1:n)) &
! a comment between
!$acc& async(1)
!$acc end data
!$acc data create(a) &
  !$acc &
  !$acc& copyin(b)
  !$acc update device(a)
  !$acc end data
end subroutine
