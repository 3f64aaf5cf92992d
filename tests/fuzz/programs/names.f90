! SPDX-License-Identifier: MIT
! As names.c, in Fortran, whose names have 63 characters at most.
module long_module_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  implicit none
  type :: known
    integer :: number
  end type
  type(known) :: one
  type :: long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    integer :: long_member_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    real(8) :: reals(3)
    integer, allocatable :: long_array_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(:)
  end type
  type(long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) :: &
      long_global_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
contains
  subroutine long_function_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(local)
    use mpi
    type(long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) :: local, here
    class(long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa), allocatable :: any
    integer :: type, request, ierr
    allocate (any)
    call MPI_Type_contiguous(10, MPI_REAL, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Irecv(here, 1, type, 0, 7, MPI_COMM_SELF, request, ierr)
    call MPI_Recv(local, 1, type, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  end subroutine
end module

program main
  use mpi
  use long_module_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call long_function_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa( &
      long_global_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)
  call MPI_Finalize(ierr)
end program
