! Scalars that each iteration sets become private: workers of a gang would share them.
subroutine sums(n, begin, v, s)
  implicit none
  integer, intent(in) :: n, begin(n + 1)
  real(8), intent(in) :: v(:)
  real(8), intent(out) :: s(n)
  real(8) :: total
  integer :: i, k, from, to
  !$acc parallel loop present(begin, v, s) device_type(nvidia) gang vector_length(32)
  do i = 1, n
! ^^^^^^^^^^^ one-warp
    total = 0.0d0
    from = begin(i)
    to = begin(i + 1) - 1
    !$acc loop reduction(+:total) device_type(nvidia) vector
    do k = from, to
      total = total + v(k)
    end do
    s(i) = total
  end do
end subroutine

subroutine sumsByKernels(n, begin, v, s)
  implicit none
  integer, intent(in) :: n, begin(n + 1)
  real(8), intent(in) :: v(:)
  real(8), intent(out) :: s(n)
  real(8) :: total
  integer :: i, k
  !$acc kernels present(begin, v, s)
  do i = 1, n
! ^^^^^^^^^^^ one-warp
    total = 0.0d0
    !$acc loop vector(32)
    do k = begin(i), begin(i + 1) - 1
      total = total + v(k)
    end do
    s(i) = total
  end do
  !$acc end kernels
end subroutine
