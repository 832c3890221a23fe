! A scalar that goes back over its next value, and memory that is gone too early.
subroutine fill(buf, n)
  integer :: n, k
  real(8) :: buf(100, n)
  k = 1
  do while (k <= n)
    !$acc kernels present(buf) async(1)
    buf(:, k) = real(k, kind=8)
    !$acc end kernels
    k = k + 2
!   ^ copied-back warning
  end do
  !$acc wait(1)
end subroutine

subroutine temporary(n)
  integer :: n, i
  real, allocatable :: work(:)
  allocate(work(n))
  !$acc enter data create(work)
  !$acc parallel loop present(work) async(1)
  do i = 1, n
    work(i) = real(i)
  end do
  !$acc update self(work) async(1)
  print *, work(n)
!          ^^^^^^^ unwaited error
  !$acc exit data delete(work)
  deallocate(work)
end subroutine
