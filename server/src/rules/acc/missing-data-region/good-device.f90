! Arrays that CUDA Fortran keeps on the GPU: nothing of them travels.
subroutine energies(orbital, pairs, count, steps, total)
  implicit none
  integer, intent(in) :: count, steps
  real(8), intent(in) :: orbital(count), pairs(count, steps)
  real(8), intent(out) :: total
  real(8), allocatable, device :: held(:), row(:)
  real(8) :: sum
  integer :: i, step
  allocate(held(count), row(count))
  held(:) = orbital(:)
  total = 0.0d0
  do step = 1, steps
    row(:) = pairs(:, step)
    sum = 0.0d0
    !$acc parallel loop reduction(+:sum)
    do i = 1, count
      sum = sum + row(i) / held(i)
    end do
    total = total + sum
  end do
  deallocate(held, row)
end subroutine energies
