! Gangs and lanes share each loop, and the written length makes a gang of one warp.
subroutine pressures(p, q, t, first, last)
  implicit none
  integer, intent(in) :: first, last
  real, intent(in) :: q(first:last)
  real, intent(inout) :: p(first:last), t(first:last)
  integer :: i
  !$acc parallel vector_length(32) present(p, q, t)
  !$acc loop gang vector
  do i = first, last
! ^^^^^^^^^^^^^^^^^^ flat-warp warning
    p(i) = q(i) / 1000.
  end do
  !$acc loop gang vector
  do i = first, last
    t(i) = t(i) * 2
  end do
  !$acc end parallel
  !$acc kernels loop independent gang vector(32) present(p, q)
  do i = first, last
! ^^^^^^^^^^^^^^^^^^ flat-warp warning
    p(i) = q(i) + p(i)
  end do
end subroutine
