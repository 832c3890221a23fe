! Operators, sections and modifiers of Fortran.
subroutine total(a, b, ok, n)
  integer, intent(in) :: n
  logical, intent(in) :: a(n)
  real(8), intent(out) :: b(n, n)
  logical, intent(inout) :: ok
  integer :: i, j
!$acc data copyin(readonly: a(1:n)) copyout(b(:, 1:n))
!$acc parallel loop reduction(.and.: ok) default(present)
  do i = 1, n
    ok = ok .and. a(i)
  end do
!$acc parallel loop collapse(2) vector_length(merge(128, 64, n > 64))
  do j = 1, n
    do i = 1, n
      b(i, j) = i + j
    end do
  end do
!$acc end data
end subroutine
