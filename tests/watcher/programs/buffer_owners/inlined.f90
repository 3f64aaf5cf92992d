! SPDX-License-Identifier: MIT
! Compilers inline the private procedures into write_all, whose integers have the names of an offset
! in the module and of a constant. Temporaries of the main program lie in the memory of its
! variables, and the inlined procedure `build` uses the names of these.

module store
  use mpi
  implicit none
  private
  integer(MPI_OFFSET_KIND) :: disp = 16
  public :: write_all
contains
  subroutine write_block(fh, b, ierr)
    integer, intent(in) :: fh, b(4)
    integer, intent(out) :: ierr
    call MPI_File_write_at_all(fh, disp, b, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine write_tail(fh, b, ierr)
    integer, intent(in) :: fh, b(4)
    integer, intent(out) :: ierr
    integer(MPI_OFFSET_KIND), parameter :: tail = 64
    call MPI_File_write_at_all(fh, tail, b, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine write_all(fh, b, tail, ierr)
    integer, intent(in) :: fh, b(4)
    integer, intent(inout) :: tail
    integer, intent(out) :: ierr
    integer :: disp
    disp = tail
    call MPI_Bcast(disp, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call write_block(fh, b, ierr)
    call write_tail(fh, b, ierr)
    tail = tail + disp
  end subroutine
end module

program inlined
  use mpi
  use store, only: write_all
  implicit none
  character(len=1000) :: path
  integer :: b(4), tail, fh, made, ierr
  integer(8) :: lengths(2)
  integer :: displacements(2)
  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, tail, ierr)
  call build([ierr + 1, ierr + 1, ierr + 1], [ierr, ierr + 2, ierr + 4])
  lengths = 2
  displacements = 3
  call MPI_Bcast(lengths, 2, MPI_INTEGER8, 0, MPI_COMM_SELF, ierr)
  call MPI_Bcast(displacements, 2, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  b = tail
  call MPI_File_open(MPI_COMM_WORLD, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, fh, ierr)
  call write_all(fh, b, tail, ierr)
  call MPI_File_close(fh, ierr)
  if (tail < 0) print *, tail
  call MPI_Finalize(ierr)
contains
  subroutine build(lengths, displacements)
    integer, intent(in) :: lengths(3), displacements(3)
    call MPI_Type_indexed(3, lengths, displacements, MPI_INTEGER, made, ierr)
    call MPI_Type_free(made, ierr)
  end subroutine
end program
