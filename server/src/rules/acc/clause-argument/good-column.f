C Column 72 falls between a clause and its parenthesis: the compiler was told of longer lines.
      subroutine clear(values, n, depths, heightmap)
      integer n, l
      real values(n), depths(n), heightmap(n)
!$acc parallel loop gang vector private(depths, heightmap) async default(present)
      do l = 1, n
        values(l) = 0.0
      end do
      end
