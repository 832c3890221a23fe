! A page that shows the form, for the reader to fill in.
program form
  integer :: i
  real :: a(1000)
  !$acc directive <clauses>
  do i = 1, 1000
    a(i) = real(i)
  end do
  !$acc end directive
  print *, a(1)
end program form
