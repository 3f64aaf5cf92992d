! SPDX-License-Identifier: MIT
! MPI in Fortran: with mpif.h, the module mpi (-DUSE_MPI) or the module mpi_f08 (-DUSE_MPI_F08).
! What gdb says in each of it is in test_fortran.py.
#ifdef USE_MPI_F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif
#ifdef USE_MPI
#define MODULE_OF_MPI use mpi
#elif defined(USE_MPI_F08)
#define MODULE_OF_MPI use mpi_f08
#else
#define MODULE_OF_MPI
#endif
#if defined(USE_MPI) || defined(USE_MPI_F08)
#define IN_PLACE_OF_MODULE
#else
#define IN_PLACE_OF_MODULE include 'mpif.h'
#endif

module work
  MODULE_OF_MPI
  implicit none
  IN_PLACE_OF_MODULE

  type halo
    HANDLE(MPI_Datatype) :: row
    HANDLE(MPI_Comm) :: comm
  end type halo

contains

  ! Called where gdb shall look at what is there.
  subroutine mark()
  end subroutine mark

  subroutine assumed_shape(x, datatype)
    double precision, asynchronous :: x(:, :)
    HANDLE(MPI_Datatype), intent(in) :: datatype
    integer :: ierror
    call MPI_Bcast(x, 1, datatype, 0, MPI_COMM_WORLD, ierror)
  end subroutine assumed_shape

  subroutine assumed_size(x, datatype)
    double precision :: x(4, *)
    HANDLE(MPI_Datatype), intent(in) :: datatype
    integer :: ierror
    call MPI_Bcast(x, 1, datatype, 0, MPI_COMM_WORLD, ierror)
  end subroutine assumed_size

  subroutine section(x)
    double precision, asynchronous :: x(:, :)
    integer :: ierror
    call MPI_Bcast(x(1:4:2, :), 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end subroutine section

  subroutine reduced(sendbuf, x)
    integer :: sendbuf
    double precision :: x
    integer :: ierror
    call MPI_Allreduce(sendbuf, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine reduced

  subroutine waited(request, status)
    HANDLE(MPI_Request) :: request
    STATUS :: status
    integer :: ierror
    call MPI_Wait(request, status, ierror)
    call mark()
  end subroutine waited

end module work

program cells
  use work
  implicit none
  double precision, asynchronous, target :: a(4, 3)
  double precision, asynchronous, allocatable :: field(:, :)
  double precision, pointer :: outer(:, :)
  double precision :: total
  character(len=5), asynchronous :: text
  complex, asynchronous :: z(2)
  logical, asynchronous :: flags(2)
  integer, asynchronous :: numbers(3)
  HANDLE(MPI_Datatype) :: vec, no_type, real8, types(2), absolute
  HANDLE(MPI_Comm) :: world, no_comm, duplicate
  HANDLE(MPI_Group) :: members
  HANDLE(MPI_Op) :: op
  HANDLE(MPI_Info) :: info
  HANDLE(MPI_Errhandler) :: errhandler
  HANDLE(MPI_Request) :: request, no_request, requests(4)
  type(halo) :: h
  integer :: i, j, ierror
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  call MPI_Init(ierror)
  a = reshape((/(i + 0.5d0, i=1, 12)/), (/4, 3/))
  allocate (field(4, 3))
  field = 10*a
  outer => a(1:4:3, :)
  call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, vec, ierror)
  call MPI_Type_commit(vec, ierror)
  no_type = MPI_DATATYPE_NULL
  real8 = MPI_REAL8
  types = (/vec, MPI_INTEGER/)
  world = MPI_COMM_WORLD
  no_comm = MPI_COMM_NULL
  no_request = MPI_REQUEST_NULL
  call MPI_Comm_dup(world, duplicate, ierror)
  call MPI_Comm_set_name(duplicate, "halo", ierror)
  call MPI_Comm_group(world, members, ierror)
  op = MPI_SUM
  call MPI_Info_create(info, ierror)
  call MPI_Info_set(info, "key", "value", ierror)
  errhandler = MPI_ERRORS_RETURN
  h%row = vec
  h%comm = duplicate
  call MPI_Irecv(a, 1, vec, 0, 3, MPI_COMM_SELF, request, ierror)
  text = "hello"
  z = (/(1.0, 2.0), (-0.5, 0.0)/)
  flags = (/.true., .false./)
  numbers = (/7, 8, 9/)
  call MPI_Irecv(text, 5, MPI_CHARACTER, 0, 4, MPI_COMM_SELF, requests(1), ierror)
  call MPI_Irecv(z, 2, MPI_COMPLEX, 0, 4, MPI_COMM_SELF, requests(2), ierror)
  call MPI_Irecv(flags, 2, MPI_LOGICAL, 0, 4, MPI_COMM_SELF, requests(3), ierror)
  call MPI_Irecv(numbers, 3, MPI_INTEGER, 0, 4, MPI_COMM_SELF, requests(4), ierror)
  call mark()

  call assumed_shape(a, vec)
  call assumed_shape(field, vec)
  call assumed_size(a, vec)
  call section(field)
  call MPI_Bcast(outer, 6, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  total = 2
  call reduced(MPI_IN_PLACE, total)
  call MPI_Get_address(total, place(1), ierror)
  call MPI_Type_create_struct(1, (/1/), place, (/MPI_DOUBLE_PRECISION/), absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierror)

  call MPI_Cancel(request, ierror)
  call waited(request, MPI_STATUS_IGNORE)
  do j = 1, 4
    call MPI_Cancel(requests(j), ierror)
  end do
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Finalize(ierror)
end program cells
