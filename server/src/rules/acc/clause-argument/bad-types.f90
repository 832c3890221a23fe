! Items that are not what their clause is for.
subroutine types(n, a, share)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  real, intent(inout) :: share
  integer, parameter :: three = 3
  integer :: i
  !$acc parallel loop copy(a) num_gangs(share) if(1) private(three)
!                                       ^^^^^ malformed error
!                                                 ^ malformed error
!                                                            ^^^^^ malformed error
  do i = 1, n
    a(i) = 0
  end do
  !$acc parallel loop copy(a) reduction(ieor: share) if(share)
!                                             ^^^^^ malformed error
!                                                       ^^^^^ malformed error
  do i = 1, n
    share = share + a(i)
  end do
  !$acc enter data attach(share)
!                         ^^^^^ malformed error
end subroutine
