// The texts of an event that comes from a calendar.
import type { SeenEntry } from '../../../shared/room-calendars/room-calendars.ts'

const LENGTH_MAX = 255

// The same characters that fields of requests refuse: control characters and halves of surrogate pairs.
const REFUSED_PATTERN = /[\p{Cc}\p{Cs}]+/gu

/** Returns a text of another system as Berth can store it: on one line, and not too long. */
export const cleanText = (text: string): string =>
  [...text.replace(REFUSED_PATTERN, ' ').trim()].slice(0, LENGTH_MAX).join('').trim()

/** The name of an event whose title nobody may read, and of one without a title. */
const PRIVATE_NAME = 'Private'
const UNNAMED = 'Meeting'

export const getMeetingName = ({ title, isPrivate }: SeenEntry): string =>
  isPrivate ? PRIVATE_NAME : cleanText(title) || UNNAMED
