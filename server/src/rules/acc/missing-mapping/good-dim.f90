! The dimension of the gangs is no number of them.
subroutine fill(buff, m)
  integer, intent(in) :: m
  real, intent(out) :: buff(64, m)
  integer :: i, j
  !$acc parallel loop gang(dim:2) copyout(buff)
  do i = 1, m
    !$acc loop gang(dim:1) vector
    do j = 1, 64
      buff(j, i) = 1
    end do
  end do
end subroutine fill
