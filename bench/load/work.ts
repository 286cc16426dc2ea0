// Describes a load and its results.
import type { Office } from './bookings.ts'

/** Only our own load generator sends the `headers` of a request, in addition to those of the load. */
export type LoadRequest = { method: string; path: string; body?: string; headers?: Record<string, string> }

export type LoadSettings = {
  url: string
  /** Headers that are sent with every request. */
  headers: Record<string, string>
  connections: number
  seconds: number
  requestsMax?: number | undefined
  /** The rate at which requests become due. If undefined, each connection sends its next request at once. */
  perSecond?: number | undefined
  /** The requests of the load, which are sent in turn. */
  requests: LoadRequest[]
  /** If set, every request creates another booking. */
  bookings?: { office: Office; firstSlot: number } | undefined
}

export type LoadResult = {
  sent: number
  answered: number
  /** The number of responses with a status other than 2xx, by status or error. */
  failures: Record<string, number>
  /** The time until the last response. */
  seconds: number
  p50Ms: number
  p99Ms: number
  /** The CPU time that the load generator used. */
  loaderCpuUs: number
}
