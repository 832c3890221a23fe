! Clauses that are longer than a line of fixed form, which ends at column 72, together with the ones there.
      subroutine sources(rates, temps, ncells)
      integer ncells, cell, k
      real rates(27, ncells), temps(ncells), factor
!$acc parallel loop present(rates, temps) vector_length(32)
!$acc& private(factor) gang worker num_workers(4)
      do cell = 1, ncells
        factor = exp(-1.0 / temps(cell))
!$acc loop vector
        do k = 1, 27
          rates(k, cell) = rates(k, cell) * factor
        end do
      end do
      end subroutine
