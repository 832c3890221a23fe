! Misspelt in Fortran, over two lines.
subroutine scale(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
!$acc parallel loop copy(a) &
!$acc& vector_length(128)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$acc parallel loop copy(b) &
!$acc& vector_length(128)
  do i = 1, n
    b(i) = 2 * b(i)
  end do
end subroutine
