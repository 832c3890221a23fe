! Ten elements of a lane: on the loop over them two thirds of a warp would have nothing to do.
subroutine energy(n, moments, fields, total)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: moments(10, n), fields(10, n)
  real(8), intent(out) :: total
  real(8) :: own
  integer :: i, k
  total = 0
  !$acc parallel loop gang vector reduction(+:total) present(moments, fields)
  do i = 1, n
    own = 0
    !$acc loop seq
    do k = 1, 10
      own = own + moments(k, i) * fields(k, i)
    end do
    total = total + own
  end do
end subroutine
