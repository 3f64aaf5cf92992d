! SPDX-License-Identifier: MIT
! Default integers as offsets and extents; "fixed": integers of the right kind. The file's name comes
! first.
program kinds
  implicit none
  include 'mpif.h'
  integer :: ierror, row, resized, file, data(8), place(2)
  integer(kind=MPI_OFFSET_KIND) :: offset
  integer(kind=MPI_ADDRESS_KIND) :: lower, extent
  character(8) :: argument
  character(1000) :: path
  call MPI_Init(ierror)
  call get_command_argument(1, path)
  call get_command_argument(2, argument)
  data = 0; place = 0; offset = 0; lower = 0; extent = 4
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, row, ierror)
  call MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierror)
  if (argument == '') then
    call wrong(place(1))
  else
    call MPI_Type_create_resized(row, lower, extent, resized, ierror)
    call MPI_File_write_at(file, offset, data, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, data, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  end if
  call MPI_Type_free(resized, ierror)
  call MPI_Type_free(row, ierror)
  call MPI_File_close(file, ierror)
  call MPI_Finalize(ierror)
contains
  subroutine wrong(at)
    integer :: at
    call MPI_File_write_at(file, & ! the file, its offset
                           at, data, 8, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_Type_create_resized(row, lower, 4, resized, ierror)
  end subroutine
end program
