! SPDX-License-Identifier: MIT
! Optimizing compilers put array constructors into the memory of variables that are not used yet.
program shared_stack
  use mpi
  implicit none
  integer :: made, file_type, ierr
  real(8) :: values(4)
  integer(8) :: wide(3)
  call MPI_Init(ierr)
  call MPI_Type_create_subarray(1, [8], [4], [0], MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, made, ierr)
  call MPI_Type_indexed(3, [1, 1, 1], [0, 2, 4], MPI_INTEGER, file_type, ierr)
  call MPI_Type_free(made, ierr)
  call MPI_Type_free(file_type, ierr)
  values = 1
  wide = 2
  call MPI_Bcast(values, 4, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(wide, 3, MPI_INTEGER8, 0, MPI_COMM_SELF, ierr)
  if (command_argument_count() == 0) call MPI_Bcast(values, 4, &
                                                    MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  call MPI_Finalize(ierr)
end program
