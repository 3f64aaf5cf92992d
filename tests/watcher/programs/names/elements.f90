! SPDX-License-Identifier: MIT
! As elements.c, with mpif.h, the module mpi and the module mpi_f08.
program main
#ifdef USE_MPI_F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(4)
#else
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: requests(4)
#endif
  real(8) :: u(8, 4), values(8), rest(8)
  integer :: ierror
  u = 0
  values = 0
  call MPI_Init(ierror)
  call MPI_Isend(u(5, 2), 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(1), ierror)
  call MPI_Irecv(u(7, 2), 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(2), ierror)
  call MPI_Isend(values, 4, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_SELF, requests(3), ierror)
  call MPI_Irecv(rest, 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(4), ierror)
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program
