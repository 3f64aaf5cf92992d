! SPDX-License-Identifier: MIT
! A code that nobody looks at: the file that could not be opened is used; "fixed": it is made.
program returned_codes
  use mpi
  implicit none
  integer :: ierr, file, mode, values(1) = 7
  character(len=16) :: second
  call get_command_argument(2, second)
  call MPI_Init(ierr)
  mode = MPI_MODE_RDWR
  if (second == "fixed") mode = ior(mode, ior(MPI_MODE_CREATE, MPI_MODE_DELETE_ON_CLOSE))
  call MPI_File_open(MPI_COMM_SELF, "there-is-none", mode, MPI_INFO_NULL, file, ierr)
  call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, values, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  if (second == "fixed") call MPI_File_close(file, ierr)
  call MPI_Finalize(ierr)
end program
