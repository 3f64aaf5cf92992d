! SPDX-License-Identifier: MIT
! Displacements that are more than an integer holds; "fixed": in larger units.
program displacements
  use mpi
  use iso_c_binding
  implicit none
  integer(8), parameter :: cells = 1500000000_8
  integer :: ierr, rank, nranks, i, datatype, part(1), counts(4), displs(4)
  integer(8) :: unit
  integer(c_signed_char), pointer :: room(:)
  integer(c_size_t), parameter :: bytes = 4 * cells + 4
  type(c_ptr) :: memory
  character(len=16) :: first, second
  interface
    function mmap(address, bytes, protection, flags, file, offset) bind(c)
      import
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      integer(c_int), value :: protection, flags, file
      integer(c_long), value :: offset
      type(c_ptr) :: mmap
    end function
  end interface
  call get_command_argument(1, first)
  call get_command_argument(2, second)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  memory = mmap(c_null_ptr, bytes, 3, 16418, -1, 0_c_long) ! private, anonymous, not reserved
  call c_f_pointer(memory, room, [bytes])
  unit = merge(4, 1, second == "fixed")
  datatype = merge(MPI_INTEGER, MPI_CHARACTER, second == "fixed")
  do i = 1, nranks
    counts(i) = int(4 / unit)
    displs(i) = wrapped((i - 1) * cells / unit)
  end do
  part = rank
  call MPI_Gatherv(part, counts(1), datatype, room, counts, displs, datatype, 0, &
                   MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
contains
  integer function wrapped(number)
    integer(8), intent(in) :: number
    wrapped = transfer(number, wrapped) ! its lower half, as arithmetic that overflows has it
  end function
end program
