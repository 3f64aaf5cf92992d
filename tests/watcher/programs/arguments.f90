! SPDX-License-Identifier: MIT
! Statuses and counts that are too small, or of another kind; "fixed": none is. A status may be a
! column, or a part of a larger array.
module shared_counts
  implicit none
  integer, allocatable :: listed(:)
end module

subroutine all_of(wrong)
  use shared_counts
  implicit none
  include 'mpif.h'
  logical, intent(in) :: wrong
  integer :: ierr, number, received, status, first, rest(20), more(20), request, made
  integer :: table(MPI_STATUS_SIZE, 2), around(MPI_STATUS_SIZE + 4)
  integer :: counts(1), displacements(1)
  integer(8) :: wide(1)
  common /block/ first, rest, status, more
  external MPI_Recv, MPI_Isend, MPI_Allgatherv, MPI_Gatherv, MPI_Type_indexed
  counts = 0; displacements = 0; wide = 0; number = 1
  call MPI_Isend(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
  if (wrong) then
    call MPI_Recv(received, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, status, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Recv(received, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, first, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Recv(received, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, around(5), ierr)
    call MPI_Gatherv(number, 0, MPI_INTEGER, received, wide, displacements, MPI_INTEGER, 0, &
                     MPI_COMM_SELF, ierr)
  else
    call MPI_Recv(received, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, table(1, 2), ierr)
  end if
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Allgatherv(number, 0, MPI_INTEGER, received, counts, displacements, MPI_INTEGER, &
                      MPI_COMM_SELF, ierr)
  allocate (listed(6)) ! the next block is this one again, so zeros follow its elements
  listed = 0
  deallocate (listed)
  allocate (listed(merge(4, 6, wrong)))
  listed = 0
  call MPI_Type_indexed(6, listed, listed, MPI_INTEGER, made, ierr)
  call MPI_Type_free(made, ierr)
  deallocate (listed)
end subroutine

subroutine results(wrong)
  use mpi
  implicit none
  logical, intent(in) :: wrong
  integer :: ierr, grid, dims(2), coords(2)
  logical :: periods(2)
  type :: some
    sequence
    integer :: few(1), others(4)
    logical :: short(1), more(4)
  end type
  type(some) :: one
  call MPI_Cart_create(MPI_COMM_SELF, 2, [1, 1], [.false., .true.], .false., grid, ierr)
  if (wrong) then
    call MPI_Cart_coords(grid, 0, 2, one%few, ierr)
    call MPI_Cart_get(grid, 2, dims, one%short, coords, ierr)
  end if
  call MPI_Cart_coords(grid, 0, 2, coords, ierr)
  call MPI_Cart_get(grid, 2, dims, periods, coords, ierr)
  call MPI_Comm_free(grid, ierr)
end subroutine

program arguments
  implicit none
  include 'mpif.h'
  integer :: ierr
  character(len=16) :: argument
  call get_command_argument(1, argument)
  call MPI_Init(ierr)
  call results(argument /= 'fixed')
  call all_of(argument /= 'fixed')
  call MPI_Finalize(ierr)
end program
