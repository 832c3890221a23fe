! Clauses of the Sunway machines: their compiler maps loops in its own way.
subroutine advance(u, w, first, last, n)
  integer, intent(in) :: first, last, n
  real(8), intent(inout) :: u(n, n, n)
  real(8), intent(in) :: w(n)
  integer :: i, j, k
  !$acc parallel loop tile(k:2) &
  !$acc local(i, j, k) swapin(u(dimension order:1,3,2)) &
  !$acc copyin(w, first, last) annotate(entire(w))
  do k = first, last
    do j = first, last
      do i = first, last
        u(i, j, k) = u(i, j, k) * w(i)
      end do
    end do
  end do
  !$acc end parallel loop
end subroutine
