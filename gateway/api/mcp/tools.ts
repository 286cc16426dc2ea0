// Lists the tools.
import { book, cancelBooking, checkBooking, checkIn, moveBooking } from './booking-tools.ts'
import { explainRefusal } from './explain-refusal.ts'
import { findFree } from './find-free.ts'
import { findPeople, listBookings, whoIsIn } from './people-tools.ts'
import type { Tool } from './tool.ts'

export const TOOLS: readonly Tool[] = [
  findPeople,
  whoIsIn,
  findFree,
  checkBooking,
  book,
  moveBooking,
  cancelBooking,
  checkIn,
  listBookings,
  explainRefusal,
]
