// Brings the name of a calendar into the one spelling that Berth stores and compares.
import { isEmail } from '../utilities/texts.ts'
import type { CalendarProviderName } from './room-calendars.ts'

/** The limit of `room_calendars.calendar`. Escapes make a path longer. */
const CHARACTERS_MAX = 1_000

/**
 * Returns the address of a mailbox in lowercase, or the path of a CalDAV calendar with each part escaped in the same way and a
 * slash at its end. Returns undefined if it is neither.
 */
export function normalizeCalendar(provider: CalendarProviderName, calendar: string): string | undefined {
  if (provider !== 'caldav') return isEmail(calendar) ? calendar.toLowerCase() : undefined
  if (!calendar.startsWith('/') || !calendar.isWellFormed()) return undefined
  const parts: string[] = []
  for (const part of escapePath(calendar).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const path = `/${parts.map((part) => `${part}/`).join('')}`
  return path.length <= CHARACTERS_MAX && !path.includes('%00') ? path : undefined
}

/** Escapes each part of a path in the same way, whether it was escaped before or not. */
export const escapePath = (path: string): string =>
  path
    .split('/')
    .map((part) => encodeURIComponent(decodePart(part)))
    .join('/')

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
