! Joined loops of five iterations, and joined loops of which a condition leaves out half.
subroutine triangle(a, b, n)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n, n), b(n, n)
  integer :: i, k
  !$acc parallel loop collapse(2) present(a, b)
  do i = 1, n
! ^^^^^^^^^^^ triangle information
    do k = 1, n
      if (k <= i) a(k, i) = a(k, i) + b(k, i)
    end do
  end do
end subroutine

subroutine primitives(q, sizes)
  implicit none
  integer, parameter :: blocks = 1, fields = 5
  integer, intent(in) :: sizes(blocks)
  real, intent(inout) :: q(300, 300, fields, blocks)
  integer :: block, field, i, j
  !$acc parallel loop collapse(2) present(q, sizes)
  do block = 1, blocks
! ^^^^^^^^^^^^^^^^^^^^ few-gangs warning
    do field = 1, fields
      !$acc loop collapse(2)
      do j = 1, sizes(block)
        do i = 1, sizes(block)
          q(i, j, field, block) = q(i, j, field, block) * 0.5
        end do
      end do
    end do
  end do
end subroutine
