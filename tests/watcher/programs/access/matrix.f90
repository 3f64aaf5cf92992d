! SPDX-License-Identifier: MIT
! An array section, contiguous or not, while the array is pending. One process.
program matrix
  use mpi
  implicit none
  integer, parameter :: n = 4096
  real(8), allocatable :: cells(:, :), others(:, :)
  integer :: request, ierror
  call MPI_Init(ierror)
  allocate (cells(n, 8), others(n, 8))
  cells = 1
  call MPI_Issend(cells(:, 3:4), 2 * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierror)
  cells(1:n:7, 5) = 2
  cells(1000:n:7, 3) = 3 !: stores to buf[999](DOUBLE_PRECISION)
  call MPI_Recv(others, 2 * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Irecv(cells(:, 3:4), 2 * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierror)
  others(:, 5) = cells(:, 5)
  others(:, 4) = cells(n:1:-1, 3) !: loads buf[4095](DOUBLE_PRECISION)
  call MPI_Send(others, 2 * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Finalize(ierror)
  print '(a)', 'done'
end program
