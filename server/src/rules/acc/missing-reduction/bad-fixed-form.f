! Fixed form: the clause goes on a line of its own where column 72 is near.
      subroutine total(n, values, sum)
      integer n, i
      real*8 values(n), sum
      sum = 0.0d0
!$acc parallel loop gang vector vector_length(128) copyin(values)
      do i = 1, n
        sum = sum + values(i)
!       ^^^ race
      end do
      end subroutine
