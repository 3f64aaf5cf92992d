! SPDX-License-Identifier: MIT
! Derived types with components of every odd sort: test_make.py makes their datatypes.
module odd
  use iso_c_binding
  implicit none
  integer, parameter :: wide = selected_char_kind("ISO_10646")
  integer, parameter :: extended = selected_real_kind(18)
  type, abstract :: shape
    integer :: id
  end type
  type, extends(shape) :: circle
    real(8) :: bounds(-1:1, 0:3)
  end type
  type :: empty
  end type
  type :: mixture
    type(circle) :: first, second
    type(empty) :: nothing
    character(len=:), allocatable :: text
    character(kind=wide, len=2) :: letters
    real(extended) :: x
    integer(16) :: huge
    logical(c_bool) :: flag
    logical(8) :: long
  end type
contains
  subroutine mark()
  end subroutine
  subroutine look(object, table, text, link)
    class(shape) :: object
    real(8) :: table(2, *)
    character(len=:), allocatable :: text
    type(circle), pointer :: link
    table(1, 1) = object%id
    text = "text"
    call mark()
    print *, table(1, 1), text, link%id
  end subroutine
end module

program main
  use odd
  use mpi
  implicit none
  type(mixture), target :: one
  type(circle), pointer :: link
  real(8) :: table(2, 3)
  character(len=:), allocatable :: text
  integer :: ierror
  call MPI_Init(ierror)
  one%flag = .true.
  call mark()
  link => one%second
  call look(one%first, table, text, link)
  print *, one%flag
  call MPI_Finalize(ierror)
end program
