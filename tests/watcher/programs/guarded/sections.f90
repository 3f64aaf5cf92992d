! SPDX-License-Identifier: MIT
! Array sections of buffers without a page for themselves. One process.
program sections
  use mpi
  implicit none
  real(8) :: cells(10, 8), line(8), small(12)
  integer :: request, row, ierror
  call MPI_Init(ierror)
  call MPI_Type_vector(8, 1, 10, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_commit(row, ierror)
  cells = 1
  small = 1
  call MPI_Issend(cells(2, 1), 1, row, 0, 0, MPI_COMM_SELF, request, ierror)
  cells(3:9:2, 1:8) = 4
  cells(2, 3:8:3) = 5
  call mark
  call MPI_Recv(line, 8, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Irecv(small(5:8), 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, request, ierror)
  small(1:4) = 6
  small(7:12:3) = 7
  call MPI_Send(line, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_SELF, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Type_free(row, ierror)
  call MPI_Finalize(ierror)
  print '(3f4.1)', small(4:5), small(10)
contains
  subroutine mark
  end subroutine
end program
