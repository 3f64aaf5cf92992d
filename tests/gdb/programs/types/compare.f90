! SPDX-License-Identifier: MIT
! Derived types and arrays, and datatypes of them.
module shapes
  use mpi
  implicit none
  type :: point
    real(8) :: x, y
  end type
  type, extends(point) :: weighted
    real(4) :: weight
  end type
  type :: particle
    integer :: id
    type(point) :: places(2)
    character(len=7) :: name
    logical :: alive
    complex(8) :: spin
    real(8) :: matrix(2, 3)
    real, allocatable :: list(:)
    real, pointer :: plane(:, :)
  end type
contains
  subroutine mark()
  end subroutine
  subroutine send(field, newtype)
    real(8) :: field(:, :)
    integer :: newtype, ierror
    call MPI_Bcast(field(1, 2), 3, newtype, 0, MPI_COMM_SELF, ierror)
  end subroutine
end module

program compare
  use shapes
  implicit none
  type(particle) :: one, several(4)
  type(weighted) :: heavy
  real(8) :: matrix(-1:1, 4)
  real(8), allocatable, target :: heap(:, :)
  real(8), pointer :: part(:, :)
  integer :: row, column, of_one, raw, of_heavy, wrong, thirds, ierror
  integer(MPI_ADDRESS_KIND) :: base, places(6), extent
  call MPI_Init(ierror)
  allocate (heap(10, 20))
  heap = 1
  matrix = 1
  call MPI_Type_vector(4, 1, 3, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, column, ierror)
  call MPI_Get_address(one, base, ierror)
  call MPI_Get_address(one%id, places(1), ierror)
  call MPI_Get_address(one%places, places(2), ierror)
  call MPI_Get_address(one%name, places(3), ierror)
  call MPI_Get_address(one%alive, places(4), ierror)
  call MPI_Get_address(one%spin, places(5), ierror)
  call MPI_Get_address(one%matrix, places(6), ierror)
  places = places - base
  call MPI_Get_address(several(1), base, ierror)
  call MPI_Get_address(several(2), extent, ierror)
  extent = extent - base
  call MPI_Type_create_struct(6, [1, 4, 7, 1, 1, 6], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION, &
                                                              MPI_CHARACTER, MPI_LOGICAL, MPI_DOUBLE_COMPLEX, &
                                                              MPI_DOUBLE_PRECISION], raw, ierror)
  call MPI_Type_create_resized(raw, 0_MPI_ADDRESS_KIND, extent, of_one, ierror)
  call MPI_Type_create_struct(2, [2, 1], [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], &
                              [MPI_DOUBLE_PRECISION, MPI_REAL], of_heavy, ierror)
  call MPI_Type_contiguous(25, MPI_INTEGER, wrong, ierror)
  part => heap(1:10:3, :)
  call MPI_Type_vector(4, 1, 3, MPI_DOUBLE_PRECISION, thirds, ierror)
  call mark()
  call send(heap, MPI_DOUBLE_PRECISION)
  call send(heap(2:10:2, 1:20:5), MPI_DOUBLE_PRECISION)
  print *, one%id, several(1)%id, heavy%weight, row
  call MPI_Finalize(ierror)
end program
