// The description of a load, and its results.
import type { Office } from './bookings.ts'

export type Work = {
  url: string
  token: string
  connections: number
  seconds: number
  requestsMax: number
  /** Requested in turn. */
  paths: string[]
  /** If set, each request is a POST. */
  bookings?: { office: Office; firstSlot: number } | undefined
}

export type Loaded = {
  sent: number
  answered: number
  /** The number of answers other than 2xx, by status or error. */
  failures: Record<string, number>
  /** Until the last answer. */
  seconds: number
  p50Ms: number
  p99Ms: number
}
