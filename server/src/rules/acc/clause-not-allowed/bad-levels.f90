! The same in Fortran.
module levels
contains
  subroutine smooth(a, n)
    !$acc routine worker
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    !$acc loop worker vector
    do i = 1, n
      a(i) = a(i) * 0.5
    end do
  end subroutine

  subroutine nests(a, b, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n, n), b(n, n)
    integer :: i, j
    !$acc parallel loop gang vector copy(a)
    do i = 1, n
      call smooth(a(:, i), n)
!          ^^^^^^ level-nested error
    end do
    !$acc kernels copy(a)
    !$acc loop worker
    do i = 1, n
      !$acc loop gang
!                ^^^^ level-nested
      do j = 1, n
        a(j, i) = 1.0
      end do
    end do
    !$acc end kernels
    !$acc data copyin(A) copyout(b) create(a)
!                                          ^ item-repeated
    !$acc end data
  end subroutine
end module
