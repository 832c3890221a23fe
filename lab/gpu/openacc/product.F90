! Times the sparse product (rows of at most 27 entries) under vector lengths and worker counts: lines `stage NAME MEDIAN LEAST MOST result SUM`, times in ms.
include "../../../samples/openacc/problem.inc"

module stages
  use problem
  implicit none
contains
#define NAME vector128
#define MAPPING gang vector_length(128)
#include "stage.inc"
#define NAME vector32
#define MAPPING gang vector_length(32)
#include "stage.inc"
#define NAME workers1
#define MAPPING gang worker num_workers(1) vector_length(32)
#include "stage.inc"
#define NAME workers2
#define MAPPING gang worker num_workers(2) vector_length(32)
#include "stage.inc"
#define NAME workers4
#define MAPPING gang worker num_workers(4) vector_length(32)
#include "stage.inc"
#define NAME workers8
#define MAPPING gang worker num_workers(8) vector_length(32)
#include "stage.inc"
#define NAME workers16
#define MAPPING gang worker num_workers(16) vector_length(32)
#include "stage.inc"
#define NAME workers32
#define MAPPING gang worker num_workers(32) vector_length(32)
#include "stage.inc"
end module

program product_stages
  use problem
  use stages
  implicit none
  integer, allocatable :: rowStart(:), columns(:)
  real(dp), allocatable :: values(:), x(:), y(:)
  integer :: n, i
  call createMatrix(wanted(200), rowStart, columns, values)
  n = size(rowStart) - 1
  allocate(x(n), y(n))
  do i = 1, n
    x(i) = 1 + mod(i - 1, 7)
  end do
  !$acc data copyin(rowStart, columns, values, x) create(y)
  call time_stage('vector128', vector128)
  call time_stage('vector32 ', vector32)
  call time_stage('workers1 ', workers1)
  call time_stage('workers2 ', workers2)
  call time_stage('workers4 ', workers4)
  call time_stage('workers8 ', workers8)
  call time_stage('workers16', workers16)
  call time_stage('workers32', workers32)
  !$acc end data
contains
  subroutine time_stage(name, multiply)
    character(len=*), intent(in) :: name
    interface
      subroutine multiply(rows, nonzeros, rowStart, columns, values, x, y)
        import :: dp
        integer, intent(in) :: rows, nonzeros, rowStart(rows + 1), columns(nonzeros)
        real(dp), intent(in) :: values(nonzeros), x(rows)
        real(dp), intent(out) :: y(rows)
      end subroutine
    end interface
    integer, parameter :: repetitions = 11
    real(dp) :: times(repetitions), begin, total, middle
    integer :: each
    call multiply(n, size(values), rowStart, columns, values, x, y)
    do each = 1, repetitions
      begin = now()
      call multiply(n, size(values), rowStart, columns, values, x, y)
      times(each) = now() - begin
    end do
    !$acc update self(y)
    total = 0
    do each = 1, n
      total = total + y(each) * mod(each - 1, 3)
      y(each) = 0
    end do
    !$acc update device(y)
    middle = median(times)
    print '(a, 1x, a, 3f12.4, a, es20.12)', 'stage', name, middle, times(1), times(repetitions), ' result ', total
  end subroutine
end program
