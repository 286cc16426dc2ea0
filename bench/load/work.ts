// What a load is, and what came of it.
import type { Office } from './bookings.ts'

export type Work = {
  url: string
  token: string
  connections: number
  seconds: number
  requestsMax: number
  /** Asked for in turn. */
  paths: string[]
  /** Then each is a POST. */
  bookings?: { office: Office; firstSlot: number } | undefined
}

export type Loaded = {
  sent: number
  answered: number
  /** How often, by status or by what happened: all that was not answered with 2xx. */
  failures: Record<string, number>
  /** Until the last answer. */
  seconds: number
  p50Ms: number
  p99Ms: number
}
