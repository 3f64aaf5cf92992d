! SPDX-License-Identifier: MIT
! Where MPI has none: C's procedures, which leave the last argument and what they return alone.
module handles
  use iso_c_binding
  implicit none
  integer, parameter :: handle = HANDLE
end module

module mpi
  use iso_c_binding
  use handles
  implicit none
  integer(handle) :: MPI_COMM_WORLD, MPI_DOUBLE_PRECISION
  integer(c_intptr_t), parameter :: MPI_STATUS_IGNORE = STATUS_IGNORE
  interface
    subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, name="MPI_Isend")
      import
      type(*) :: buf(*)
      integer(c_int), value :: count, dest, tag
      integer(handle), value :: datatype, comm
      integer(handle) :: request
      integer(c_int) :: ierror
    end subroutine
    subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror) bind(C, name="MPI_Send")
      import
      type(*) :: buf(*)
      integer(c_int), value :: count, dest, tag
      integer(handle), value :: datatype, comm
      integer(c_int) :: ierror
    end subroutine
    subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror) bind(C, name="MPI_Recv")
      import
      type(*) :: buf(*)
      integer(c_int), value :: count, source, tag
      integer(handle), value :: datatype, comm
      integer(c_intptr_t), value :: status
      integer(c_int) :: ierror
    end subroutine
    subroutine MPI_Wait(request, status, ierror) bind(C, name="MPI_Wait")
      import
      integer(handle) :: request
      integer(c_intptr_t), value :: status
      integer(c_int) :: ierror
    end subroutine
    integer(c_int64_t) function pattern_world() bind(C, name="pattern_world")
      import
    end function
    integer(c_int64_t) function pattern_double() bind(C, name="pattern_double")
      import
    end function
  end interface
contains
  subroutine get_handles()
    MPI_COMM_WORLD = int(pattern_world(), handle)
    MPI_DOUBLE_PRECISION = int(pattern_double(), handle)
  end subroutine
end module
