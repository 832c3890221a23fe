! Ten elements of a pointer, by the clause: what they cost is the latency of one copy.
program few
  real, pointer :: values(:)
  real :: total, totals(1000)
  integer :: i, j
  allocate (values(10))
  values = 1.0
  do i = 1, 1000
    total = 0.0
    !$acc parallel loop reduction(+:total) copyin(values(1:10))
    do j = 1, 10
      total = total + values(j)
    end do
    totals(i) = total
  end do
  print *, totals(1), totals(1000)
end program few
