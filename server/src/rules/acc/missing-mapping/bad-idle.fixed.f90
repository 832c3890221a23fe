! Few gangs or one lane: no gang loop, an inner seq loop, short worker loops, serial.
subroutine tendencies(a, b, n, m)
  implicit none
  integer, intent(in) :: n, m
  real, intent(inout) :: a(m, n), b(m, n)
  integer :: i, k
  !$acc parallel default(present)
  !$acc loop vector collapse(2) gang
  do i = 1, n
    do k = 1, m
      a(k, i) = b(k, i)
    end do
  end do
  !$acc end parallel
  !$acc parallel loop gang present(a, b)
  do i = 1, n
    !$acc loop vector
    do k = 1, m
      a(k, i) = b(k, i) * 2
    end do
  end do
end subroutine

subroutine components(w, n)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: w(4, 2, n)
  integer :: i, j, k
  !$acc parallel loop gang num_workers(2) present(w)
  do k = 1, n
    !$acc loop worker
    do i = 1, 2
      !$acc loop vector
      do j = 1, 4
        w(j, i, k) = w(j, i, k) * 2.0
      end do
    end do
  end do
end subroutine

subroutine sources(level, flow, cell, n, cells)
  implicit none
  integer, intent(in) :: n, cells, cell(n)
  real, intent(in) :: flow(n)
  real, intent(inout) :: level(cells)
  integer :: source, at
  !$acc parallel present(level, flow, cell)
  !$acc loop private(at)
  do source = 1, n
    at = cell(source)
    !$acc atomic update
    level(at) = level(at) + flow(source)
  end do
  !$acc end parallel
  !$acc serial present(level)
  do at = 2, cells
    level(at) = level(at) + level(at - 1)
  end do
  !$acc end serial
end subroutine
