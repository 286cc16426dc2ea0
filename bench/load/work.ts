// The description of a load, and its results.
import type { Office } from './bookings.ts'

/** Only our own load generator sends `headers`, in addition to those of the load. */
export type Asked = { method: string; path: string; body?: string; headers?: Record<string, string> }

export type Work = {
  url: string
  /** Sent with every request. */
  headers: Record<string, string>
  connections: number
  seconds: number
  requestsMax?: number | undefined
  /** The rate at which requests become due; without it each connection sends the next one at once. */
  perSecond?: number | undefined
  /** Requested in turn. */
  requests: Asked[]
  /** If set, every request creates the next booking. */
  bookings?: { office: Office; firstSlot: number } | undefined
}

export type Loaded = {
  sent: number
  answered: number
  /** The number of answers other than 2xx, by status or error. */
  failures: Record<string, number>
  /** The time until the last answer. */
  seconds: number
  p50Ms: number
  p99Ms: number
  /** CPU time that the load generator used. */
  loaderCpuUs: number
}
