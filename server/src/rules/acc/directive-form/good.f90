! Ends where they must be; loops may do without.
subroutine scale(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
!$acc data copy(a)
!$acc parallel
!$acc loop
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc end parallel
!$acc kernels loop
  do i = 1, n
!$acc atomic update
    a(1) = a(1) + i
  end do
!$acc parallel loop
  do i = 1, n
    a(i) = a(i) + 1
  end do
!$acc end parallel loop
!$acc end data
end subroutine
