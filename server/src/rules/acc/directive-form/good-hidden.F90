! The beginning of a construct in a branch of #if that another macro of the build chooses.
subroutine limit(plus, minus, flux, first, last)
  implicit none
  integer, intent(in) :: first, last
  real(8), intent(inout) :: plus(last), minus(last)
  real(8), intent(in) :: flux(last)
  integer :: i
#ifndef WITH_GPU
  !$omp parallel do
#else
#if !defined(WITHOUT_ATOMICS)
  !$acc parallel loop
#endif
#endif
  do i = first, last
    plus(i) = plus(i) + max(0.0d0, flux(i))
    minus(i) = minus(i) + min(0.0d0, flux(i))
  end do
#if !defined(WITHOUT_ATOMICS)
  !$acc end parallel loop
#endif
end subroutine limit
