! SPDX-License-Identifier: MIT
! A displacement before the buffer; "fixed": in the array.
program displacements
  use mpi
  implicit none
  integer :: ierror, counts(1), first(1), value(1)
  integer, save :: all(0:3)
  character(8) :: argument
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  counts = 1
  value = 5
  first = merge(1, -1, argument /= '')
  call MPI_Gatherv(value, 1, MPI_INTEGER, all, counts, first, MPI_INTEGER, 0, MPI_COMM_SELF, ierror)
  first = -1
  call MPI_Gatherv(value, 1, MPI_INTEGER, all(1), counts, first, MPI_INTEGER, 0, MPI_COMM_SELF, ierror)
  call MPI_Finalize(ierror)
end program
