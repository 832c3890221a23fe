! Sizes of levels outside of kernels, constants in data clauses, and pointers that `deviceptr` does not take.
module sizes
  implicit none
  integer, parameter :: most = 50
  real(8), parameter :: weights(3) = [0.25d0, 0.5d0, 0.25d0]
!$acc declare copyin(most)
!                    ^^^^ malformed
contains
  subroutine smooth(a, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n, m)
    real(8), pointer :: work(:)
    real(8), allocatable :: sums(:)
    integer :: i, j
!$acc parallel copy(a) copyin(weights)
!                             ^^^^^^^ malformed
!$acc loop gang(8) worker(4)
!               ^ not-allowed warning
!                         ^ not-allowed warning
    do j = 1, m
!$acc loop vector(64)
!                 ^^ not-allowed warning
      do i = 1, n
        a(i, j) = weights(2) * a(i, j)
      end do
    end do
!$acc end parallel
!$acc data deviceptr(work, sums)
!                    ^^^^ malformed
!                          ^^^^ malformed
!$acc end data
  end subroutine
end module
