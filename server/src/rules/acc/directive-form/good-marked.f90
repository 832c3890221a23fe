! Lines that a macro of another file makes comments or directives of another kind.
#include "marks.h"
subroutine scale(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
OMP_ONLY parallel default(none), &
OMP_ONLY shared(a, b, n), &
OMP_ONLY private(i)
OMP_ONLY do
!$acc parallel present(a, b)
!$acc loop
  do i = 1, n
    a(i) = 2 * b(i)
  end do
OMP_ONLY end do
OMP_ONLY end parallel
!$acc end parallel
end subroutine
